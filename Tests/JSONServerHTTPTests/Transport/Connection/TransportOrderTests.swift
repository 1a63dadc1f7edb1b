import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import JSONServerHTTP

/// The order in which a connection's requests take effect. Time passes here when a test says so.
struct TransportOrderTests {
  private static func request(_ method: String, _ target: String, fields: String = "") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
  }

  /// Requests with the targets `/0`, `/1`, ….
  private static func requests(_ methods: String) -> ByteBuffer {
    let requests = methods.split(separator: " ").enumerated().map { request(String($1), "/\($0)") }
    return ByteBuffer(string: requests.joined())
  }

  struct Case: Sendable {
    var methods: String
    /// How many have begun when none, one, two, … of the responses have been made, which come in the requests' order.
    var begun: [Int]
  }

  @Test(arguments: [
    Case(methods: "GET GET HEAD OPTIONS GET", begun: [5, 5, 5, 5, 5, 5]),
    Case(methods: "PATCH GET", begun: [1, 2, 2]),
    Case(methods: "GET PATCH", begun: [1, 2, 2]),
    Case(methods: "PUT PUT DELETE POST", begun: [1, 2, 3, 4, 4]),
    Case(methods: "GET GET PATCH GET GET POST", begun: [2, 2, 3, 5, 5, 6, 6]),
    Case(methods: "PROPFIND GET", begun: [1, 2, 2]),
  ])
  func `Only safe requests begin beside each other`(_ test: Case) throws {
    let replies = NIOLockedValueBox<[@Sendable () -> Void]>([])
    let application = TestApplication { request, reply in
      replies.withLockedValue { $0.append { reply(.echo(request)) } }
    }
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(Self.requests(test.methods))
    var begun = [application.requests.count]
    for index in test.begun.indices.dropLast() {
      let reply = replies.withLockedValue { $0[index] }
      reply()
      channel.embeddedEventLoop.run()
      begun.append(application.requests.count)
    }
    #expect(begun == test.begun)
    #expect(application.requests.map(\.target) == test.begun.indices.dropLast().map { "/\($0)" })
    let sent = try TransportMemoryTests.sent(channel)
    #expect(sent.components(of: "HTTP/1.1 200 OK") == test.begun.count - 1)
  }

  @Test func `A request that has taken effect holds none up`() throws {
    let held = HeldReplies()
    let application = TestApplication(proceeding: { request, proceed, reply in
      // The transport drops what is reported twice, or too late.
      held.hold {
        reply(.echo(request))
        proceed()
      }
      proceed()
      proceed()
    })
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(Self.requests("PATCH PATCH GET DELETE"))
    #expect(application.requests.count == 4)
    #expect(try TransportMemoryTests.sent(channel).isEmpty)
    held.releaseHere()
    channel.embeddedEventLoop.run()
    #expect(try TransportMemoryTests.sent(channel).components(of: "HTTP/1.1 200 OK") == 4)
  }

  @Test func `A request that takes effect later allows the next to begin then`() throws {
    let effects = HeldReplies()
    let application = TestApplication(proceeding: { request, proceed, _ in effects.hold(proceed) })
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(Self.requests("PATCH GET GET PATCH"))
    for count in [1, 3, 4] {
      #expect(application.requests.count == count)
      effects.releaseHere()
    }
  }

  @Test func `A connection whose requests wait for one before them is neither idle nor read`() throws {
    let held = HeldReplies()
    let application = TestApplication { request, reply in held.hold { reply(.echo(request)) } }
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(Self.requests("PATCH PATCH"))
    let connection = try channel.pipeline.syncOperations.handler(type: HTTPConnection.self)
    #expect(!connection.wantsInput)
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    held.releaseHere()
    #expect(connection.wantsInput)
    held.releaseHere()
    channel.embeddedEventLoop.run()
    #expect(try TransportMemoryTests.sent(channel).components(of: "HTTP/1.1 200 OK") == 2)
  }

  @Test(arguments: [("1.1", "HTTP/1.1 100 Continue\r\n\r\n"), ("1.0", "")])
  func `A client that sends no more while a response is calculated is asked for`(
    _ version: String, _ expected: String
  ) throws {
    let ended = NIOLockedValueBox(0)
    let channel = try TransportTimeoutTests.connection(
      TestApplication(calculating: { _ in ended.withLockedValue { $0 += 1 } }))
    let request = "GET /1 HTTP/\(version)\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
    try channel.writeInbound(ByteBuffer(string: request + request))
    #expect(try TransportMemoryTests.sent(channel).isEmpty)
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    channel.embeddedEventLoop.run()
    #expect(try TransportMemoryTests.sent(channel) == expected)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try TransportMemoryTests.sent(channel) == expected)
    #expect(ended.withLockedValue { $0 } == 0)
    try channel.close().wait()
    #expect(ended.withLockedValue { $0 } == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `A calculation ends when its client has gone`() async throws {
    let (ends, end) = AsyncStream.makeStream(of: String.self)
    let application = TestApplication(calculating: { end.yield($0.target) })
    try await TestServer.run(application) { server in
      let client = try await server.connect()
      try await client.send(Self.request("GET", "/large"))
      try await wait { !application.requests.isEmpty }
      try await client.close()
      for await target in ends {
        #expect(target == "/large")
        break
      }
    }
  }

  @Test func `After a response that never comes nothing begins, and the client's end is noticed`() throws {
    let application = TestApplication { request, reply in
      var response = PreparedResponse.echo(request)
      response.delivery = .hang
      reply(response)
    }
    let channel = try TransportTimeoutTests.connection(application)
    try channel.writeInbound(Self.requests("PATCH PATCH GET"))
    try channel.writeInbound(Self.requests("PATCH"))
    #expect(application.requests.count == 1)
    #expect(try channel.pipeline.syncOperations.handler(type: HTTPConnection.self).wantsInput)
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int {
    ranges(of: text).count
  }
}
