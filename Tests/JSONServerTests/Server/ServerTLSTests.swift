#if HTTPS
  import HTTPTypes
  import JSONServerValues
  import TestSupport
  import Testing

  @testable import JSONServer

  @Suite(.timeLimit(.minutes(1)))
  struct ServerTLSTests {
    @Test func `Addresses that lead back to the server begin with https`() async throws {
      let certificate = try TestCertificate(in: TemporaryDirectory())
      var configuration = Server.Configuration(source: .value(["posts": []]))
      configuration.tlsIdentity = TLSIdentity(certificatePath: certificate.path, keyPath: certificate.keyPath)
      configuration.hosts = ["127.0.0.1"]
      let server = try await Server.start(configuration)
      let response = await server.respond(
        to: Request(
          method: .post, target: "/posts", headerFields: [.contentType: "application/json"], body: Array("{}".utf8)))
      #expect(response.headerFields[.location] == "https://localhost/posts/1")
      #expect(server.url == "https://localhost:\(server.port)")
      await server.stop()
    }
  }
#endif
