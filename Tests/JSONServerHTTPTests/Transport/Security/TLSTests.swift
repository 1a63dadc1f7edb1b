#if HTTPS
  import HTTPTypes
  import NIOCore
  import NIOSSL
  import JSONServerValues
  import TestSupport
  import Testing

  @testable import JSONServerHTTP

  /// What TLS adds to a connection. The other suites of the transport run over TLS, too, with JSON_SERVER_TESTS_USE_TLS.
  @Suite(.timeLimit(.minutes(1)))
  struct TLSTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    private let certificate: TestCertificate
    private let reports = Reports()
    private let security: TestSecurity

    init() throws {
      certificate = try TestCertificate(in: TemporaryDirectory())
      security = try TestSecurity(certificate: certificate, report: reports.report)
    }

    /// Makes a client that is configured in its own way.
    private func connect(
      to server: TestServer, configure: (inout TLSConfiguration) -> Void = { _ in }
    ) async throws -> TransportClient {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificate.path))
      configure(&configuration)
      let context = try NIOSSLContext(configuration: configuration)
      return try await TransportClient(host: server.address.host, port: server.address.port) {
        [try NIOSSLClientHandler(context: context, serverHostname: "localhost")]
      }
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func `A client of either version gets a response`(_ version: TLSVersion) async throws {
      try await TestServer.run(security: security) { server in
        let client = try await connect(to: server) {
          $0.minimumTLSVersion = version
          $0.maximumTLSVersion = version
          $0.applicationProtocols = ["h2", "http/1.1"]
        }
        try await client.send(Self.get)
        #expect(try await client.readAnswer().body == "GET /a")
      }
    }

    @Test func `A client of an old version is refused, and named in a report`() async throws {
      try await TestServer.run(security: security) { server in
        let client = try await connect(to: server) { $0.maximumTLSVersion = .tlsv11 }
        await #expect(throws: (any Error).self) {
          try await client.send(Self.get)
          _ = try await client.readAnswer()
        }
        #expect(await reports.next().hasSuffix(" failed: the client speaks neither TLS 1.2 nor 1.3."))
      }
    }

    @Test func `A client that does not trust the certificate is named in a report`() async throws {
      try await TestServer.run(security: security) { server in
        let client = try await connect(to: server) { $0.trustRoots = .certificates([]) }
        await #expect(throws: (any Error).self) {
          try await client.send(Self.get)
          _ = try await client.readAnswer()
        }
        let report = await reports.next()
        #expect(report.hasPrefix("The TLS handshake with 127.0.0.1:"))
        #expect(report.contains("not trust the certificate"))
      }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PO", "\u{0}"])
    func `Plain HTTP gets a response that names the address`(_ text: String) async throws {
      try await TestServer.run(security: security) { server in
        let client = try await server.connectInClear()
        try await client.send(text)
        let answer = try await client.readAnswer()
        #expect(answer.status == 400)
        #expect(answer.body.contains("use an address such as https://localhost:\(server.address.port)."))
        #expect(await reports.next().hasSuffix(" sent plain HTTP to a port that serves HTTPS."))
        #expect(try await client.readToEnd() == "")
      }
    }

    @Test func `A client that does not finish the handshake is disconnected`() async throws {
      var limits = Limits()
      limits.headTimeout = .milliseconds(50)
      try await TestServer.run(limits: limits, security: security) { server in
        let client = try await server.connectInClear()
        // The beginning of a record of 512 bytes.
        try await client.send([22, 3, 1, 2, 0])
        #expect(try await client.readToEnd() == "")
        #expect(await reports.next().hasSuffix(" failed: the client did not finish it in time."))
      }
    }

    @Test func `A connection without a byte is disconnected as over plain HTTP`() async throws {
      var limits = Limits()
      limits.idleTimeout = .milliseconds(50)
      try await TestServer.run(limits: limits, security: security) { server in
        let client = try await server.connectInClear()
        #expect(try await client.readToEnd() == "")
      }
    }

    @Test func `A certificate that is read again is that of the next connections`() async throws {
      try await TestServer.run(security: security) { server in
        let before = try await connect(to: server)
        try await before.send(Self.get)
        _ = try await before.readAnswer()

        _ = try TestCertificate(in: certificate.directory, keyName: "other.pem")
        let error = #expect(throws: ServerError.self) { try security.server.reload() }
        #expect(error?.message.hasPrefix("\(certificate.keyPath): the private key is not that of ") == true)
        _ = try TestCertificate(in: certificate.directory)
        try security.server.reload()

        let after = try await connect(to: server)
        try await after.send(Self.get)
        #expect(try await after.readAnswer().body == "GET /a")
        try await before.send(Self.get)
        #expect(try await before.readAnswer().body == "GET /a")
      }
    }

    @Test func `A certificate that has expired is reported and used`() async throws {
      _ = try TransportSecurity(
        certificate.identity, now: { System.now + 31 * 24 * 60 * 60 }, report: reports.report)
      #expect(await reports.next() == "\(certificate.path): the certificate has expired; clients will refuse it.")
    }
  }
#endif
