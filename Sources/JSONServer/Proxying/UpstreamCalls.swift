import DequeModule
import HTTPTypes
import JSONDatabase
import JSONServerResources

/// Calls another server for requests that this server has no response to, and limits the number of calls.
///
/// It belongs to the server's engine, whose sessions share it; all of them run on one event loop.
final class UpstreamCalls {
  private struct Call {
    let request: Request
    let context: RequestContext
    /// The engine of the server or session that responds.
    let engine: Engine
    let deadline: EventLoopExecutor.ScheduledTask
    /// The engine's task that calls the other server; `nil` while the call waits for others.
    var task: Int?
  }

  private let upstream: Upstream
  /// The name of this server in `Via` fields, by which it recognizes its own requests (RFC 9110, section 7.6.3).
  private let name: String
  /// The calls that have not ended, by number, and the numbers of those that wait.
  private var calls: [Int: Call] = [:]
  private var waiting: Deque<Int> = []
  private var lastNumber = 0

  init(_ upstream: Upstream, random: UInt64) {
    self.upstream = upstream
    name = "json-server-" + String(random, radix: 16)
  }

  /// Whether to forward a request that this server refuses.
  ///
  /// A request for an unknown path is forwarded. A method that a resource lacks is refused here, and so are requests to
  /// the admin interface, to sessions and of the page.
  func takes(_ context: RequestContext, refusedWith error: RequestError, _ database: Database) -> Bool {
    guard error.code == .notFound, context.isSimulated else { return false }
    let segments = context.target.segments
    guard segments.first != SessionName.root, segments.first != "__rules" else { return false }
    // 1.0 says 404 for a method that a resource lacks.
    var reading = context.request
    reading.method = .get
    return (try? Endpoint.parse(reading, segments, QueryParameters(), database)) == nil
  }

  /// Responds to a request with the other server's response.
  func proxy(_ context: RequestContext, on engine: isolated Engine) {
    let request: Request
    do throws(RequestError) {
      request = try forwarded(context, on: engine)
    } catch {
      return engine.finalize(context, error.response())
    }
    lastNumber += 1
    let (number, upstream) = (lastNumber, upstream)
    let deadline = engine.execute(after: upstream.timeout) {
      $0.upstreamCalls?.end(number, with: .failure(upstream.slow))
    }
    let noted = context.noting { $0.upstream = upstream.url }
    calls[number] = Call(request: request, context: noted, engine: engine, deadline: deadline)
    waiting.append(number)
    startWaiting()
    context.progress(
      .held {
        let error = RequestError(.unavailable, "The client disconnected during the request to \(upstream.url).")
        engine.execute { $0.upstreamCalls?.end(number, with: .failure(error)) }
      })
  }

  /// The request as the other server gets it.
  ///
  /// - Throws: 508 for a request that has already passed through this server; 403 for a change on a read-only server; 400
  ///   for a path that may lead above the path of the other server's address.
  private func forwarded(_ context: RequestContext, on engine: isolated Engine) throws(RequestError) -> Request {
    var request = context.request
    guard !hasPassed(request) else {
      throw RequestError(
        .loop,
        """
        \(upstream.url) leads back to this server, which has nothing at \(request.path); \
        Server.Configuration.upstream must name another server.
        """)
    }
    if !request.isSafe { try engine.allowWriting(request.method.rawValue) }
    guard !context.target.leadsUpwardsElsewhere else {
      throw RequestError(
        .malformed,
        """
        The path \(request.path) has '..' beside an escaped slash, so it could lead anywhere on \(upstream.url); \
        send the path without '..'.
        """)
    }
    request.target = context.target.spelling
    request.headerFields = request.headerFields.forwarded
    request.headerFields.append(HTTPField(name: .via, value: "1.1 \(name)"))
    return request
  }

  /// Whether a request has already passed through this server.
  private func hasPassed(_ request: Request) -> Bool {
    request.headerFields[values: .via].contains { value in
      value.split(separator: ",").contains { entry in
        entry.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.map(String.init) == name
      }
    }
  }

  /// Starts as many calls as may be under way at the same time.
  private func startWaiting() {
    while calls.count - waiting.count < max(upstream.maximumConcurrentRequests, 1), let number = waiting.popFirst() {
      guard let call = calls[number] else { continue }
      calls[number]?.task = call.engine.assumeIsolated { [upstream] engine in
        engine.startTask { engine in
          let result = await upstream.ask(call.request)
          engine.upstreamCalls?.end(number, with: result)
        }
      }
    }
  }

  /// Sends the other server's response, unless the request already has one, and starts the next call.
  private func end(_ number: Int, with result: Result<Response, RequestError>) {
    guard let call = calls.removeValue(forKey: number) else { return }
    call.deadline.cancel()
    waiting.removeAll { $0 == number }
    let response: PreparedResponse
    switch result {
    case .failure(let error): response = error.response()
    case .success(var answer):
      answer.headerFields = answer.headerFields.passedOn(keepsLength: call.context.request.method == .head)
      upstream.address.moveAddresses(in: &answer.headerFields, to: call.context.request.base)
      response = PreparedResponse(answer)
    }
    startWaiting()
    call.engine.assumeIsolated { engine in
      if let task = call.task { engine.tasks[task]?.cancel() }
      engine.finalize(call.context, response)
    }
  }
}

extension Upstream {
  fileprivate func ask(_ request: Request) async -> Result<Response, RequestError> {
    do {
      return .success(try await send(request, address.text + request.target))
    } catch Upstream.Failure.timeout {
      return .failure(slow)
    } catch is CancellationError {
      return .failure(RequestError(.unavailable, "The server stopped during the request to \(url)."))
    } catch {
      return .failure(
        RequestError(
          .badGateway,
          """
          Nothing here responds to \(request.method) \(request.path), and \(url) (Server.Configuration.upstream) cannot \
          be asked: \(error)
          """))
    }
  }

  fileprivate var slow: RequestError {
    RequestError(
      .gatewayTimeout,
      "\(url) (Server.Configuration.upstream) has not responded within \(timeout / .seconds(1)) seconds.")
  }
}
