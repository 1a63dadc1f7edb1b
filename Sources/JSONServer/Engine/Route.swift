import HTTPTypes
import JSONDatabase

/// Where a request leads, decided once.
enum Route {
  /// A response that does not depend on the data: a page, a static file, the rewrite rules, a redirection.
  case builtIn(PreparedResponse)
  case admin(AdminRoute)
  case signIn(SignInRoute)
  /// The changes of a resource, as they happen.
  case changes(of: String, lastEventID: String?)
  /// The data.
  case resource(Endpoint)
}

extension Engine {
  /// Finds out where a request leads; of several, the first of these counts.
  ///
  /// - Throws: 404 for a path that leads nowhere, 405 with `Allow` for a method it does not take, 400 that says what
  /// is invalid.
  func route(_ context: RequestContext) throws(RequestError) -> Route {
    let (request, segments, parameters) = (context.request, context.target.path.segments, context.target.parameters)
    if let location = pageLocation(context) {
      return .builtIn(PreparedResponse(status: .found, headerFields: [.location: location]))
    }
    if let response = policies.builtInResponse(to: request, context.target.path) { return .builtIn(response) }
    if context.isAdministrative { return .admin(try AdminRoute.route(of: request, segments.dropFirst())) }
    if let signIn, !context.isHidden,
      let route = try SignInRoute(
        request, segments, maximumDepth: writes.database.schema.maximumDepth - 2, wrapName: configuration.wrapName,
        isUsers: { request.method == .post && isUsers($0, signIn) },
        isResource: { writes.database.resource(meantBy: $0) != nil })
    {
      return .signIn(route)
    }
    if configuration.hasResetRoutes, let route = AdminRoute.resetRoute(of: request, segments) {
      if let signIn, !context.isHidden { try requireAllResources(context, signIn) }
      return .admin(route)
    }
    let endpoint: Endpoint
    do throws(RequestError) {
      if let parsed = context.parsed {
        endpoint = try parsed.unwrapped.get()
      } else {
        let plain = try self.endpoint(of: context)
        if let name = wrapName(for: context) {
          endpoint = try plain.unwrapping(name, writes.database.schema.dialect)
        } else {
          endpoint = plain
        }
      }
    } catch {
      // The data goes first: a file `posts.html` does not hide the posts.
      guard error.code == .notFound, let response = policies.staticPage(for: request, context.target.path) else {
        throw error
      }
      return .builtIn(response)
    }
    if segments.count == 1, ListParameters.isWatch(parameters), let name = endpoint.watchedResource {
      if let signIn, !context.isHidden { _ = try owner(in: endpoint, context, signIn) }
      return .changes(of: name, lastEventID: context.lastEventID)
    }
    return .resource(endpoint)
  }

  /// Where a page is when it was asked for with a slash too many or too few; `nil` for every other path.
  ///
  /// The page's files lie beside it, and a browser resolves "beside" by that slash.
  private func pageLocation(_ context: RequestContext) -> String? {
    let (request, segments) = (context.request, context.target.path.segments)
    let mount = request.mount
    guard segments.isEmpty || context.isAdministrative, request.method == .get || request.method == .head else {
      return nil
    }
    return switch segments {
    case []: !mount.path.isEmpty && context.original.path == mount.path ? mount.path + "/" : nil
    case [AdminRoute.root], [AdminRoute.root, "docs"]:
      request.path.hasSuffix("/") ? mount.path + "/" + segments.joined(separator: "/") : nil
    default: nil
    }
  }

  /// The response to OPTIONS, which no route takes: the route's refusal names the methods that it does take.
  ///
  /// - Returns: `nil` for another method, and for a target where nothing is.
  func methods(of context: RequestContext, refusedWith error: RequestError) -> PreparedResponse? {
    guard context.request.method == .options else { return nil }
    let methods: String
    if let allowed = error.allowedMethods {
      methods = allowed
    } else if context.request.target == "*" {
      methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    } else if isBuiltIn(context) {
      methods = "GET, HEAD, OPTIONS"
    } else {
      return nil
    }
    var fields: HTTPFields = [.allow: methods]
    if !context.isAdministrative, error.allowedMethods?.contains("PATCH") == true {
      fields[.acceptPatch] = RequestBody.patchTypes
    }
    return PreparedResponse(status: .noContent, headerFields: fields)
  }

  /// Whether the response to a GET of the target is not a resource.
  private func isBuiltIn(_ context: RequestContext) -> Bool {
    var request = context.request
    request.method = .get
    return policies.builtInResponse(to: request, context.target.path) != nil
      || policies.staticPage(for: request, context.target.path) != nil
  }
}
