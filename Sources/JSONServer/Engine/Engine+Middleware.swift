import HTTPTypes

extension Engine {
  /// Passes a call through the middleware, outermost first, and then carries it out.
  func passThroughMiddleware(_ call: RequestContext) {
    lastNumber += 1
    let number = lastNumber
    let next = middlewareChain(around: call)
    tasks[number] = Task {
      let response: Response
      do {
        response = try await next(call.request)
      } catch {
        response = HTTPError(.internalServerError, "\(error)").response()
      }
      tasks[number] = nil
      finish(call, response)
    }
  }

  private func middlewareChain(around call: RequestContext) -> @Sendable (Request) async throws -> Response {
    let target = call.mountedTarget
    var chain: @Sendable (Request) async throws -> Response = { request in
      await withCheckedContinuation { continuation in
        var inner = request
        inner.mountPath = self.mountPath
        let call = RequestContext(request, answeredAs: inner, mountedTarget: target, isInner: true) {
          continuation.resume(returning: $0)
        }
        self.loop.execute { self.assumeIsolated { $0.carryOut(call) } }
      }
    }
    for middleware in configuration.middleware.reversed() {
      let next = chain
      chain = { request in try await middleware.respond(to: request, next: next) }
    }
    return chain
  }
}
