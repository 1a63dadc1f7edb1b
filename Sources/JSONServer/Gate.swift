import HTTPTypes
import JSONDatabase
import OrderedJSON

/// What every request passes on its way in, and every answer on its way out, whatever the data holds.
struct Gate {
  private let configuration: Server.Configuration
  private let rules: RewriteRules

  init(_ configuration: Server.Configuration) throws(ServerError) {
    self.configuration = configuration
    do throws(RewriteRuleFault) {
      rules = try RewriteRules(json: configuration.routes)
    } catch {
      throw ServerError(.invalidConfiguration, "The rewrite rule '\(error.rule)' cannot be used: \(error.message)")
    }
  }

  /// Lets a request in: checks who asks, and gives the request the method and the target it is answered for.
  ///
  /// - Returns: The answer to a request that goes no further.
  func admit(_ request: inout Request) throws(HTTPError) -> Response? {
    if request.method == .post, let name = request.headerFields[.methodOverride] {
      let method = HTTPRequest.Method(name.uppercased())
      if let method, Self.overridable.contains(method) { request.method = method }
    }
    request.target = rules.rewrite(request.target)
    return nil
  }

  private static let overridable: Set<HTTPRequest.Method> = [.get, .head, .put, .patch, .delete, .post]

  /// Answers what is not a resource: the page, the rules.
  func special(_ request: Request, _ path: Path) -> Response? {
    guard request.method == .get || request.method == .head else { return nil }
    switch path.segments {
    case ["__rules"]: return .json(.object(rules.rules))
    default: return nil
    }
  }

  /// Gives an answer what depends on the request alone: caching, JSONP, compression.
  func dress(_ response: Response, for request: Request) -> Response {
    var response = response
    guard request.method == .get || request.method == .head, response.status == .ok, case .bytes(let body) = response.body
    else { return response }
    if response.headerFields[.eTag] == nil { response.headerFields[.eTag] = EntityTag(of: body).fieldValue }
    if let tag = response.headerFields[.eTag], let known = request.headerFields[.ifNoneMatch],
      EntityTag.matches(known, tag)
    {
      response.status = .notModified
      response.body = .bytes([])
      response.headerFields[.contentType] = nil
    }
    return response
  }
}
