import JSONServerValues
import NIOCore
import NIOEmbedded
import Testing

@testable import JSONServer
@testable import JSONServerHTTP
@testable import JSONServerRules

/// The order in which the requests of one connection take effect.
struct WriteOrderTests {
  /// A connection to an engine, both on a loop whose time a test controls.
  private struct Wire {
    let engine: Engine
    private let channel = NIOAsyncTestingChannel()

    init(_ configure: (inout Server.Configuration) -> Void = { _ in }) async throws {
      let fixture = try EngineFixture(
        ["posts": [["id": 1, "title": "none"]]], loop: EventLoopExecutor(eventLoop: channel.testingEventLoop),
        configure: configure)
      engine = fixture.engine
      let (engine, channel) = (engine, channel)
      try await channel.testingEventLoop.executeInContext {
        try channel.pipeline.syncOperations.addHandlers(
          HTTPConnection.handlers(Connections(limits: Limits(), application: engine)))
      }
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    }

    func send(_ requests: [String]) async throws {
      try await channel.writeInbound(ByteBuffer(string: requests.joined()))
    }

    /// - Returns: How many requests wait for the next commit as soon as all are read.
    func sendAtOnce(_ requests: [String]) async throws -> Int {
      let (engine, channel) = (engine, channel)
      return try await channel.testingEventLoop.executeInContext {
        channel.pipeline.fireChannelRead(ByteBuffer(string: requests.joined()))
        channel.pipeline.fireChannelReadComplete()
        return engine.assumeIsolated { $0.writes.scheduler.commits.open.responses.count }
      }
    }

    func advanceTime(by time: TimeAmount) async {
      await channel.testingEventLoop.advanceTime(by: time)
    }

    /// The titles that the responses show, in their order.
    func titles() async throws -> [String] {
      await channel.testingEventLoop.run()
      var sent = ""
      while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: bytes) }
      return sent.matches(of: /"title": "([^"]*)"/).map { String($0.1) }
    }
  }

  private static let get = "GET /posts/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private static func patch(_ title: String, query: String = "") -> String {
    let body = "{\"title\":\"\(title)\"}"
    return "PATCH /posts/1\(query) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test(arguments: ["?_delay=50", ""])
  func `A request after a delayed write sees it`(_ delay: String) async throws {
    let wire = try await Wire { if delay.isEmpty { $0.delay = .milliseconds(50) } }
    try await wire.send([Self.patch("first", query: delay), Self.get, Self.patch("second"), Self.get])
    #expect(try await wire.titles() == [])
    await wire.advanceTime(by: .milliseconds(200))
    #expect(try await wire.titles() == ["first", "first", "second", "second"])
  }

  @Test func `A request after a write that a fault delays sees it`() async throws {
    let wire = try await Wire()
    try await wire.engine.addFault(Fault(.any(), times: 1, delay: .milliseconds(50)...(.milliseconds(50))))
    try await wire.send([Self.patch("first"), Self.patch("second"), Self.get])
    await wire.advanceTime(by: .milliseconds(50))
    #expect(try await wire.titles() == ["first", "second", "second"])
  }

  @Test func `Writes that are applied join one commit`() async throws {
    let wire = try await Wire()
    #expect(try await wire.sendAtOnce([Self.patch("first"), Self.get, Self.patch("second")]) == 3)
    #expect(try await wire.titles() == ["first", "first", "second"])
  }

  @Test func `A server that stops delays no request that waited behind a delayed one`() async throws {
    let wire = try await Wire { $0.delay = .seconds(60) }
    try await wire.send([Self.patch("first"), Self.patch("second"), Self.get])
    await wire.engine.releaseDelayed()
    #expect(try await wire.titles() == ["first", "second", "second"])
  }
}

extension Engine {
  fileprivate func addFault(_ fault: Fault) throws(RequestError) {
    rules.add(try Rule(fault), on: self) { _, _ in }
  }
}
