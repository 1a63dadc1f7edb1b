import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1)))
struct TransportListenerTests {
  static func listen(
    on addresses: [BindAddress], loop: EventLoopExecutor = EventLoopExecutor()
  ) async throws(ListenError) -> HTTPListener {
    try await HTTPListener.start(on: addresses, loop: loop, limits: Limits(), application: TestApplication())
  }

  /// A client whose connection the server surely has accepted: its first request gets a response.
  static func idleClient(of server: TestServer) async throws -> TransportClient {
    let client = try await server.connect()
    try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await client.readAnswer()
    return client
  }

  @Test func `Both loopback addresses get the same port`() async throws {
    let listener = try await Self.listen(on: BindAddress.loopback(port: 0))
    #expect(Set(listener.boundAddresses.map(\.port)).count == 1)
    #expect(listener.boundAddresses.first?.host == "127.0.0.1")
    for address in listener.boundAddresses {
      #expect(address.port != 0)
      let client = try await TransportClient(host: address.host, port: address.port)
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.readAnswer().status == 200)
    }
    await listener.shutdown(grace: .zero)
  }

  @Test func `After accepting has failed, nothing is accepted for a moment`() throws {
    let loop = EmbeddedEventLoop()
    let connections = Connections(limits: Limits(), application: TestApplication())
    let channel = EmbeddedChannel(loop: loop)
    connections.insert(listening: channel)
    try channel.pipeline.syncOperations.addHandler(AcceptErrorHandler(connections))
    for _ in 1...2 {
      channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
      #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
      #expect(Self.isAccepting(channel) == false)
      loop.advanceTime(by: .milliseconds(99))
      #expect(Self.isAccepting(channel) == false)
      loop.advanceTime(by: .milliseconds(1))
      #expect(Self.isAccepting(channel) == true)
    }
  }

  /// What the channel was told last.
  private static func isAccepting(_ channel: EmbeddedChannel) -> Bool? {
    channel.options.lazy.compactMap { $0.option is ChannelOptions.Types.AutoReadOption ? $0.value as? Bool : nil }.first
  }

  @Test func `A port in use is an error that names it`() async throws {
    let listener = try await Self.listen(on: [BindAddress(host: Self.quietAddress, port: 0)])
    let port = listener.boundAddresses[0].port
    let error = await #expect(throws: ListenError.self) {
      try await Self.listen(on: [BindAddress(host: Self.quietAddress, port: port)])
    }
    #expect(error?.code == .portInUse)
    #expect(error?.message.contains("\(port)") == true)
    await listener.shutdown(grace: .zero)
    let successor = try await Self.listen(on: [BindAddress(host: Self.quietAddress, port: port)])
    await successor.shutdown(grace: .zero)
  }

  /// An address of this machine that no other test listens at alone, so that its ports stay free.
  private static var quietAddress: String {
    #if os(Linux)
      "127.0.0.2"
    #else
      "::1"
    #endif
  }

  @Test func `When one address fails, none stays bound`() async throws {
    let other = try await Self.listen(on: [BindAddress(host: "127.0.0.1", port: 0)])
    let free = try await Self.listen(on: [BindAddress(host: Self.quietAddress, port: 0)])
    let first = free.boundAddresses[0]
    await free.shutdown(grace: .zero)
    await #expect(throws: ListenError.self) { try await Self.listen(on: [first, other.boundAddresses[0]]) }
    let again = try await Self.listen(on: [first])
    await again.shutdown(grace: .zero)
    await other.shutdown(grace: .zero)
  }

  @Test(arguments: ["no such host", "192.0.2.1"])
  func `An address that is not here is an error, unless another will do`(_ host: String) async throws {
    let error = await #expect(throws: ListenError.self) {
      try await Self.listen(on: [BindAddress(host: host, port: 0)])
    }
    #expect(error?.code == .unknownHost)
    #expect(error?.message.contains(host) == true)
    let listener = try await Self.listen(on: [
      BindAddress(host: "127.0.0.1", port: 0), BindAddress(host: host, port: 0, isOptional: true),
    ])
    #expect(listener.boundAddresses.count == 1)
    await listener.shutdown(grace: .zero)
  }

  @Test(arguments: [
    (EACCES, "from 1024 up"), (EPERM, "com.apple.security.network.server"), (EMFILE, "ulimit -n"),
    (ENFILE, "ulimit -n"),
    (EADDRINUSE, "Port 3000"), (EADDRNOTAVAIL, "127.0.0.1"), (EIO, "failed"),
  ])
  func `What the system refuses is said with what to do`(_ number: Int32, _ advice: String) {
    let address = BindAddress(host: "localhost", port: 3000)
    let error = ListenError(binding: address, errorNumber: number, cause: CancellationError())
    #expect(error.message.contains(advice))
  }

  @Test func `Shutting down finishes the requests under way and closes idle connections`() async throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in
      if request.target == "/" { reply(.echo(request)) } else { held.hold { reply(.echo(request)) } }
    }
    try await TestServer.run(application) { server in
      let idle = try await Self.idleClient(of: server)
      let busy = try await server.connect()
      try await busy.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      await held.arrival()
      await held.arrival()
      async let shutdown: Void = server.listener.shutdown(grace: .seconds(60))
      #expect(try await idle.readToEnd() == "")
      held.release(on: server.loop)
      let first = try await busy.readAnswer()
      let second = try await busy.readAnswer()
      #expect([first.body, second.body] == ["GET /a", "GET /b"])
      #expect([first.fields["connection"], second.fields["connection"]] == [nil, "close"])
      #expect(try await busy.readToEnd() == "")
      await shutdown
      await #expect(throws: (any Error).self) { _ = try await server.connect() }
    }
  }

  @Test func `Shutting down lets a body that is arriving arrive`() async throws {
    try await TestServer.run { server in
      let client = try await server.connect()
      try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      _ = try await client.read(through: "\r\n\r\n")
      let idle = try await Self.idleClient(of: server)
      async let shutdown: Void = server.listener.shutdown(grace: .seconds(60))
      #expect(try await idle.readToEnd() == "")
      try await client.send("ok")
      #expect(try await client.readToEnd().hasSuffix("PUT / ok"))
      await shutdown
    }
  }

  @Test func `Shutting down ends a stream`() async throws {
    let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
    let application = TestApplication { _, reply in reply(PreparedResponse(body: .stream(chunks))) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      source.yield([0x61])
      _ = try await client.read(through: "a\r\n")
      await server.listener.shutdown(grace: .seconds(60))
      #expect(try await client.readToEnd() == "0\r\n\r\n")
    }
  }

  @Test func `Shutting down lets a stream of known length come to its end`() async throws {
    let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
    let application = TestApplication { _, reply in reply(PreparedResponse(body: .stream(chunks, length: 2))) }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      source.yield([0x61])
      _ = try await client.read(through: "\r\n\r\na")
      async let shutdown: Void = server.listener.shutdown(grace: .seconds(60))
      while (try? await server.connect()) != nil {}
      source.yield([0x62])
      #expect(try await client.readToEnd() == "b")
      await shutdown
    }
  }

  @Test func `Shutting down breaks off what takes longer than the grace`() async throws {
    let held = HeldReplies()
    let application = TestApplication { _, _ in held.hold {} }
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      await held.arrival()
      await server.listener.shutdown(grace: .milliseconds(10))
      #expect(try await client.readToEnd() == "")
    }
  }

  @Test func `Code on the loop may enter an actor that lives there`() async {
    actor Engine {
      nonisolated let loop = EventLoopExecutor()
      private var count = 0

      nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

      func add() -> Int {
        count += 1
        return count
      }
    }
    let engine = Engine()
    #expect(await engine.add() == 1)
    #expect(!engine.loop.eventLoop.inEventLoop)
    let second = await withCheckedContinuation { continuation in
      engine.loop.schedule(after: .zero) { continuation.resume(returning: engine.assumeIsolated { $0.add() }) }
    }
    #expect(second == 2)
  }
}
