import HTTPTypes

extension Engine {
  /// Passes a request through the middleware, outermost first, and then carries it out.
  func passThroughMiddleware(_ context: RequestContext) {
    let context = context.notes == nil ? context.withNotes : context
    let next = middlewareChain(around: context)
    keep { engine in
      let response: PreparedResponse
      do {
        response = PreparedResponse(try await next(context.request))
      } catch {
        response = RequestError(.failed, "\(error)").response()
      }
      engine.finalize(context, response)
    }
  }

  private func middlewareChain(around context: RequestContext) -> @Sendable (Request) async throws -> Response {
    let mount = context.request.mount
    var chain: @Sendable (Request) async throws -> Response = { request in
      let response: PreparedResponse = await withCheckedContinuation { continuation in
        var inner = request
        inner.mount = mount
        self.loop.execute { [inner] in
          self.assumeIsolated { $0.perform(inner, within: context) { continuation.resume(returning: $0) } }
        }
      }
      // A large body is made whole here, not on the loop.
      return response.response
    }
    for middleware in configuration.middleware.reversed() {
      let next = chain
      chain = { request in try await middleware.respond(to: request, next: next) }
    }
    return chain
  }

  /// Carries out a request that the innermost middleware passed on.
  private func perform(
    _ request: Request, within outer: RequestContext, reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    do throws(RequestError) {
      let isSame = request.target == outer.request.target
      let target = isSame ? outer.target : try ParsedTarget(request.target)
      authorize(
        RequestContext(
          request, preprocessed: request, target: target, mountedTarget: outer.mountedTarget, ignoresCase: ignoresCase,
          isInner: true, notes: outer.notes,
          progress: { progress in
            // Whether the request has taken effect is the middleware's to say, by responding.
            if case .tookEffect = progress { return }
            outer.progress(progress)
          }, reply: reply))
    } catch {
      reply(error.response())
    }
  }
}
