import HTTPTypes

/// proxy: asks another server for what nothing here responds to.
extension Engine {
  /// What asks the other server for a request that is refused; `nil` when there is none, or the refusal stands.
  ///
  /// A path that leads nowhere goes there. A method that a resource of this server does not take is refused here, and so is
  /// what the admin interface, sessions and the page ask for.
  func upstream(for context: RequestContext, refusedWith error: RequestError) -> UpstreamCalls? {
    guard let upstreamCalls, error.code == .notFound, !context.isHidden, context.request.target.hasPrefix("/") else {
      return nil
    }
    switch context.target.path.segments.first {
    case AdminRoute.root, SessionName.root, "__rules": return nil
    default: return upstreamCalls
    }
  }

  /// Responds to a request with what another server responds.
  func proxy(_ context: RequestContext, to calls: UpstreamCalls) {
    let request: Request
    do throws(RequestError) {
      request = try forwarded(context, to: calls)
    } catch {
      return finalize(context, error.response())
    }
    let upstream = calls.upstream
    let context = context.noting { $0.upstream = upstream.url }
    let number = calls.nextNumber()
    let deadline = loop.schedule(after: upstream.timeout) {
      self.assumeIsolated { $0.endCall(number, of: context, with: .failure(Self.slow(upstream))) }
    }
    calls.add(number) {
      let task = self.keep { engine in
        let result = await Self.ask(upstream, request)
        deadline.cancel()
        engine.endCall(number, of: context, with: result)
      }
      return { self.cancel(task) }
    }
    context.progress(
      .held { [loop] in
        deadline.cancel()
        let error = RequestError(.unavailable, "The client went away while \(upstream.url) was asked.")
        loop.execute { self.assumeIsolated { $0.endCall(number, of: context, with: .failure(error)) } }
      })
  }

  /// The request as it goes to another server.
  ///
  /// - Throws: 508, when it came from here; 403, when it may change something and changes are refused.
  private func forwarded(_ context: RequestContext, to calls: UpstreamCalls) throws(RequestError) -> Request {
    var request = context.request
    guard !calls.name.isNamed(in: request.headerFields) else {
      throw RequestError(
        .loop,
        """
        \(calls.upstream.url) leads back to this server, which has nothing at \(request.path); --proxy must name another \
        server.
        """)
    }
    if !request.isSafe { try allowWriting(request.method.rawValue) }
    // What is above the address's path is not the server that was named.
    if context.target.path.hadDots { request.target = context.target.path.resolved(request.target) }
    request.headerFields = request.headerFields.forwarded
    calls.name.add(to: &request.headerFields)
    return request
  }

  private static func ask(_ upstream: Upstream, _ request: Request) async -> Result<Response, RequestError> {
    do {
      return .success(try await upstream.send(request, upstream.address.text + request.target))
    } catch Upstream.Failure.timeout {
      return .failure(slow(upstream))
    } catch is CancellationError {
      return .failure(RequestError(.unavailable, "The server stopped while \(upstream.url) was asked."))
    } catch {
      return .failure(
        RequestError(
          .badGateway,
          """
          Nothing here responds to \(request.method) \(request.path), and \(upstream.url) (--proxy) cannot be asked: \
          \(error)
          """))
    }
  }

  private static func slow(_ upstream: Upstream) -> RequestError {
    let seconds = upstream.timeout / .seconds(1)
    return RequestError(.gatewayTimeout, "\(upstream.url) (--proxy) has not responded within \(seconds) seconds.")
  }

  /// Responds as another server did, unless the request has its response already.
  private func endCall(_ number: Int, of context: RequestContext, with result: Result<Response, RequestError>) {
    guard let upstreamCalls, upstreamCalls.end(number) else { return }
    switch result {
    case .failure(let error): finalize(context, error.response())
    case .success(var response):
      response.headerFields = response.headerFields.passedOn(keepsLength: context.request.method == .head)
      upstreamCalls.upstream.address.moveAddresses(in: &response.headerFields, to: context.request.base)
      finalize(context, PreparedResponse(response))
    }
  }
}
