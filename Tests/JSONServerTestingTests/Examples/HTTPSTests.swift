#if HTTPS
  import JSONServerTesting
  import TestSupport

  struct HTTPSTests {
    @Test func `A server of a test speaks HTTPS with the certificate that it is given`() async throws {
      let certificate = try TestCertificate(in: TemporaryDirectory())
      let identity = TLSIdentity(certificatePath: certificate.path, keyPath: certificate.keyPath)
      try await withJSONServer(["posts": []], configure: { $0.tlsIdentity = identity }) { server in
        #expect(server.url.scheme == "https")
        let curl = "curl -sS --cacert cert.pem \(server.url.absoluteString)/posts"
        #expect(Shell.run(curl, in: certificate.directory.path).output == "[]")
        try await server.expect(.get("/posts"), times: 1)
      }
    }
  }
#endif
