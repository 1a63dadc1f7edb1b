import HTTPTypes
import JSONServer
import OrderedJSON

/// What a request must have to be the expected one.
struct RequestExpectation: Sendable {
  private let matcher: RequestMatcher
  /// The same without what a request of the route may lack.
  private let route: RequestMatcher

  /// - Throws: ``MockServerError`` with code `invalidSetup` for what no request can meet.
  init(
    _ route: Route, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: JSONValue? = nil
  ) throws(MockServerError) {
    var pattern = route
    pattern.query += query.map { Route.Field($0.key, $0.value) }
    pattern.headers += headers.map { Route.Field($0.key, $0.value) }
    if let body { pattern.body = .equal(body) }
    do throws(RequestError) {
      matcher = try RequestMatcher(pattern)
      self.route = try RequestMatcher(Route(matcher.pattern.method, matcher.pattern.path))
    } catch {
      throw MockServerError(.invalidSetup, "No request can meet '\(route)': \(error.message)")
    }
  }

  func isMet(by exchange: Exchange) -> Bool {
    matcher.matches(MatchableRequest(exchange.request, exchange.route))
  }

  /// How a request of the route differs, one difference a line; `nil` for a request of another route.
  func differences(from exchange: Exchange) -> [String]? {
    let request = exchange.request
    guard route.matches(MatchableRequest(request, exchange.route)) else { return nil }
    let pattern = matcher.pattern
    let parameters = (try? QueryParameters(target: request.target))?.items ?? []
    var lines = pattern.query.compactMap { field in
      let sent = parameters.filter { $0.name == field.name }.map(\.value)
      return Self.line("query \(field.name)", field.value, sent) { $0 == $1 }
    }
    lines += pattern.headers.compactMap { field in
      let sent = HTTPField.Name(field.name).map { request.headerFields[fields: $0].map(\.value) } ?? []
      return Self.line("header \(field.name)", field.value, sent) {
        WildcardPattern($0).matches(Array($1.utf8))
      }
    }
    switch pattern.body {
    case .including(let part): lines += JSONDifference.lines(expected: part, actual: request.value, isPart: true)
    case .equal(let value): lines += JSONDifference.lines(expected: value, actual: request.value)
    case nil: break
    }
    return lines
  }

  private static func line(
    _ name: String, _ expected: String?, _ sent: [String], _ isMet: (String, String) -> Bool
  ) -> String? {
    let actual = sent.map { "'\($0)'" }.joined(separator: ", ")
    guard let expected else { return sent.isEmpty ? nil : "\(name): expected to be absent, was \(actual)" }
    if sent.contains(where: { isMet(expected, $0) }) { return nil }
    return "\(name): expected '\(expected)', \(sent.isEmpty ? "is missing" : "was \(actual)")"
  }
}

extension RequestExpectation: CustomStringConvertible {
  var description: String { matcher.pattern.description }
}
