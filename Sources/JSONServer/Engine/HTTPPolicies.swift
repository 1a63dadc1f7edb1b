import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

/// The rules for every request on its way in, and for every response on its way out.
final class HTTPPolicies {
  private let hosts: HostPolicy
  let origins: CrossOriginPolicy
  private let compression: Compression?
  /// The static files; `nil` without directories.
  private let staticFiles: StaticFiles?
  /// The OpenAPI document, whose paths come before the page; `nil` for none.
  private let contract: Contract?
  /// The fields of a response with data, including `Vary`, to a request without any field that they depend on.
  private let commonFields: CommonFields
  /// The same fields for a list, without `X-Total-Count`.
  private let commonFieldsOfList: CommonFields
  /// The same fields for a response that an OpenAPI document describes.
  private let commonFieldsOfDocument: CommonFields
  /// The last accepted Host: a client sends the same one with every request.
  private var knownHost: String?

  init(_ configuration: Server.Configuration) {
    hosts = HostPolicy(allowed: configuration.allowedHosts + configuration.hosts)
    let origins = CrossOriginPolicy(configuration.crossOrigin)
    let compression = configuration.compresses ? Compression() : nil
    let directories = configuration.staticDirectories
    staticFiles =
      directories.isEmpty ? nil : StaticFiles(directories: directories, privateFiles: configuration.allPrivateFiles)
    func finalized(_ own: HTTPFields = PreparedResponse.jsonFields, beside fields: HTTPFields = [:]) -> CommonFields {
      var sample = PreparedResponse(headerFields: own + fields)
      let request = Request(method: .get, target: "/")
      compression?.apply(to: &sample, for: request)
      origins.addFields(to: &sample, for: request)
      return CommonFields(sample.headerFields.filter { !fields.contains($0.name) })
    }
    commonFields = finalized()
    commonFieldsOfList = finalized(beside: [.xTotalCount: "0"])
    commonFieldsOfDocument = finalized(PreparedResponse.documentFields)
    (self.origins, self.compression, contract) = (origins, compression, configuration.contract)
  }

  /// The fields of a response with a result, to a request without any field that they depend on.
  func commonFields(of result: EndpointResult) -> CommonFields? {
    if result.isPlainDocument { return commonFieldsOfDocument }
    return result.nextSince != nil ? nil : result.total == nil ? commonFields : commonFieldsOfList
  }

  /// Checks the sender, and sets the effective method of a request.
  ///
  /// - Returns: The response to a preflight, which needs no further steps.
  /// - Throws: 400 or 403, when the server does not accept the Host or the Origin.
  func preprocess(_ request: inout Request) throws(RequestError) -> PreparedResponse? {
    let host = request.headerFields.joined(.host)
    if host == nil ? !request.mayLackHost : host != knownHost {
      try hosts.check(host: host)
      knownHost = host
    }
    if let response = origins.preflight(request) { return response }
    try origins.check(request)
    if request.mayAskForScript { try origins.checkScript(request) }
    // An overriding method is applied before a POST to a record becomes an update.
    if request.method == .post, let name = request.headerFields[.methodOverride],
      let method = HTTPRequest.Method(name.uppercased()), Self.overriding.contains(method)
    {
      request.method = method
    }
    return nil
  }

  /// Whether a request is refused for its Host.
  func refusesHost(of request: Request) -> Bool { (try? hosts.check(host: request.headerFields.joined(.host))) == nil }

  private static let overriding: Set<HTTPRequest.Method> = [.get, .head, .put, .patch, .delete, .post]

  /// Returns the response to a request that is not for a resource: a static file, the page, the rewrite rules.
  ///
  /// - Parameter rules: The rewrite rules; `nil` for none.
  func builtInResponse(to request: Request, _ target: RequestTarget, _ rules: RewriteRules?) -> PreparedResponse? {
    guard request.method == .get || request.method == .head else { return nil }
    if let response = staticFiles?.respond(to: request, target) { return PreparedResponse(response) }
    if let name = pageFile(at: target) { return .asset(name) }
    guard target.segments.count == 1, target.segments.first == "__rules" else { return nil }
    return .json(.object(rules?.rules ?? JSONObject()))
  }

  /// Whether the response is a file of the page, outside of `/__admin`.
  func servesPage(for request: Request, _ target: RequestTarget) -> Bool {
    guard pageFile(at: target) != nil, request.method == .get || request.method == .head else { return false }
    return staticFiles?.respond(to: request, target) == nil
  }

  /// The file of the page at a path outside of `/__admin`, where json-server 0.17 has its own files.
  private func pageFile(at target: RequestTarget) -> String? {
    guard target.segments.count < 2, contract?.has(target) != true else { return nil }
    return switch target.segments.first {
    case nil, "index.html": "page.html"
    case "favicon.ico": "icon.svg"
    default: nil
    }
  }

  /// Returns a static page that was requested without its extension.
  func staticPage(for request: Request, _ target: RequestTarget) -> PreparedResponse? {
    staticFiles?.respond(toPage: request, target).map { PreparedResponse($0) }
  }

  /// Adds everything that depends on the request: JSONP, the validator, compression, CORS fields.
  ///
  /// - Returns: The response's body before compression.
  func finalize(_ response: inout PreparedResponse, for context: RequestContext) -> Response.Content {
    let request = context.original
    if let message = response.errorMessage, Self.takesOnlyText(request) {
      response.body = .bytes(Array(message.utf8))
      response.headerFields[.contentType] = "text/plain; charset=utf-8"
    }
    // Any page can read JSONP with a script element, so only data is available as JSONP.
    if request.mayAskForScript, context.isWrapped, let callback = JSONP.callback(in: context.target.parameters) {
      JSONP.apply(to: &response, callback: callback)
    }
    if request.method == .get || request.method == .head { validate(&response, request) }
    let body = response.body
    compression?.apply(to: &response, for: request)
    // The type is needed for `Vary` before this, and a 304 has none.
    if response.status == .notModified { response.headerFields[.contentType] = nil }
    origins.addFields(to: &response, for: request)
    response.refusedOrigin = origins.refusedOrigin(of: request)
    return body
  }

  /// Whether a client accepts plain text but not JSON, as clients that show errors directly do.
  private static func takesOnlyText(_ request: Request) -> Bool {
    guard let accept = request.headerFields[.accept]?.lowercased() else { return false }
    return accept.contains("text/plain") && !accept.contains("json") && !accept.contains("*/*")
  }

  /// Adds the validator of a body, and leaves the body out when the client has it (RFC 9110, section 13.1.2).
  private func validate(_ response: inout PreparedResponse, _ request: Request) {
    guard response.status == .ok else { return }
    switch response.body {
    case .bytes(let body):
      let isTagged = response.commonFields == nil && response.headerFields.contains(.eTag)
      // The response of another server to HEAD has no body to make a validator of.
      let isHead = response.commonFields == nil && body.isEmpty && response.headerFields.contains(.contentLength)
      // The OpenAPI document, which may be large, already has its validator.
      if !isTagged, !isHead, response.validator == nil { response.validator = EntityTag(of: body) }
    // Their validator comes from the version of the data.
    case .slices: break
    case .stream, .events: return
    }
    // As 0.17: a client that reloads wants the body.
    guard request.has(.ifNoneMatch), request.headerFields[.cacheControl]?.contains("no-cache") != true,
      let known = request.headerFields.joined(.ifNoneMatch),
      let tag = response.validator?.fieldValue ?? response.headerFields[.eTag], EntityTagList(known).names(tag)
    else { return }
    response.status = .notModified
    response.body = .bytes([])
  }
}
