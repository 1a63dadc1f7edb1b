import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct `Another server` {
  private struct Broken: Error, CustomStringConvertible {
    let description = "Connection refused."
  }

  @Test func `that cannot be asked is a 502 with the reason`() async throws {
    let server = try await UpstreamFixture().server { _ in
    } respond: { _, _ in
      throw Broken()
    }
    let response = await server.send(.get, "/elsewhere")
    #expect(response.status == .badGateway)
    #expect(
      try response.json["message"] == """
        Nothing here responds to GET /elsewhere, and https://api.example.com/v2 (Server.Configuration.upstream) cannot be asked: \
        Connection refused.
        """)
  }

  @Test func `that does not respond in time is a 504, and is asked no longer`() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let server = try await UpstreamFixture().server(timeout: .milliseconds(1)) { _ in
    } respond: { _, _ in
      await Gate().pass()
      end.finish()
      try Task.checkCancellation()
      return Response()
    }
    #expect(await server.send(.get, "/elsewhere").status == .gatewayTimeout)
    for await _ in ends {}
  }

  @Test func `that leads back here is a 508, which names it`() async throws {
    let upstream = UpstreamFixture()
    let server = try await upstream.server()
    await server.send(.get, "/elsewhere")
    let via = try #require(upstream.asked.first?.request.headerFields[.via])
    let response = await server.send(.get, "/elsewhere", fields: [.via: "1.0 other (x), \(via), 1.1 third"])
    #expect(response.status.code == 508)
    #expect(try response.json["message"]?.string?.contains("https://api.example.com/v2 leads back") == true)
    #expect(upstream.asked.count == 1)
    // What is here is served all the same, and other servers of the kind are others.
    #expect(await server.send(.get, "/posts", fields: [.via: via]).status == .ok)
    #expect(await server.send(.get, "/elsewhere", fields: [.via: "\(via)0"]).status == .accepted)
  }

  @Test func `is asked no longer when the client goes away`() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let server = try await UpstreamFixture().server { _ in
    } respond: { _, _ in
      arrival.finish()
      await Gate().pass()
      end.finish()
      return Response()
    }
    let call = Task { await server.send(.get, "/elsewhere") }
    for await _ in arrivals {}
    call.cancel()
    #expect(await call.value.status == .serviceUnavailable)
    for await _ in ends {}
  }

  @Test func `is asked for so many at once, and the others wait in order`() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
    let gates = [Gate(), Gate(), Gate(), Gate()]
    let running = NIOLockedValueBox((now: 0, most: 0))
    let server = try await UpstreamFixture().server(atOnce: 2) {
      $0.hasSessions = true
    } respond: { request, _ in
      running.withLockedValue {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      arrival.yield(request.target)
      await gates[Int(request.target.dropFirst(2)) ?? 0].pass()
      running.withLockedValue { $0.now -= 1 }
      return Response()
    }
    var iterator = arrivals.makeAsyncIterator()
    var calls: [Task<Response, Never>] = []
    for (number, session) in ["a", "b"].enumerated() {
      calls.append(Task { await server.send(.get, "/e\(number)", fields: [.session: session]) })
      #expect(await iterator.next() == "/e\(number)")
    }
    // The third waits, and its client goes away; the fourth begins when one has ended.
    let impatient = Task { await server.send(.get, "/e2") }
    impatient.cancel()
    #expect(await impatient.value.status == .serviceUnavailable)
    calls.append(Task { await server.send(.get, "/e3") })
    gates[1].open()
    #expect(await iterator.next() == "/e3")
    for gate in gates { gate.open() }
    for call in calls { #expect(await call.value.status == .ok) }
    #expect(running.withLockedValue { $0.most } == 2)
  }

  @Test func `still responds to a session that ends`() async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    let server = try await UpstreamFixture().server {
      $0.hasSessions = true
    } respond: { _, _ in
      arrival.finish()
      await gate.pass()
      try Task.checkCancellation()
      return Response()
    }
    async let response = server.send(.get, "/elsewhere", fields: [.session: "a"])
    for await _ in arrivals {}
    await server.send(.delete, "/__admin/sessions/a")
    gate.open()
    #expect(await response.status == .ok)
  }

  @Test(arguments: ["", "/__session/a"])
  func `is left alone when the server stops`(_ session: String) async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try await UpstreamFixture().server {
      $0.hasSessions = true
    } respond: { _, _ in
      arrival.finish()
      await Gate().pass()
      try Task.checkCancellation()
      return Response()
    }
    async let response = server.send(.get, "\(session)/elsewhere")
    for await _ in arrivals {}
    await server.stop()
    #expect(await response.status == .serviceUnavailable)
  }
}
