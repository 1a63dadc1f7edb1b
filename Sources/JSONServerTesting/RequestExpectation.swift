import HTTPTypes
import JSONServer
import OrderedJSON

/// What a request must have to be the expected one.
struct RequestExpectation: Sendable {
  let route: Route
  /// Parameters that the query must have, among others.
  let query: [(name: String, value: String)]
  /// Header fields that the request must have, among others.
  let headers: [(name: String, value: String)]
  /// The body, as JSON; a form's or a table's members count as JSON, too. `nil` for any.
  let body: JSONValue?

  init(
    _ route: Route, query: KeyValuePairs<String, String>, headers: KeyValuePairs<String, String>, body: JSONValue?
  ) {
    self.route = route
    self.query = query.map { ($0.key, $0.value) }
    self.headers = headers.map { ($0.key, $0.value) }
    self.body = body
  }

  func isMet(by exchange: Exchange) -> Bool {
    route.matches(exchange) && differences(from: exchange.request).isEmpty
  }

  /// How a request of the route differs, one difference a line.
  func differences(from request: Request) -> [String] {
    let parameters = (try? QueryParameters(target: request.target))?.items ?? []
    let missing = query.filter { wanted in !parameters.contains { $0.name == wanted.name && $0.value == wanted.value } }
    var lines = missing.map { wanted in
      let sent = parameters.filter { $0.name == wanted.name }.map { "'\($0.value)'" }
      return Self.line("query \(wanted.name)", wanted.value, sent.isEmpty ? nil : sent.joined(separator: ", "))
    }
    for (name, value) in headers {
      let sent = HTTPField.Name(name).flatMap { request.headerFields[$0] }
      if sent != value { lines.append(Self.line("header \(name)", value, sent.map { "'\($0)'" })) }
    }
    if let body { lines += JSONDifference.lines(expected: body, actual: request.value) }
    return lines
  }

  private static func line(_ name: String, _ expected: String, _ actual: String?) -> String {
    "\(name): expected '\(expected)', \(actual.map { "was \($0)" } ?? "is missing")"
  }
}

extension RequestExpectation: CustomStringConvertible {
  var description: String {
    var text = route.description
    if !query.isEmpty { text += "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
    if !headers.isEmpty { text += " with " + headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
    if let body { text += " with body \(body.text(pretty: false))" }
    return text
  }
}
