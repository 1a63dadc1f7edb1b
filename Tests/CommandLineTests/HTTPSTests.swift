import TestSupport
import Testing

struct HTTPSTests {
  private static let database = #"{"posts": [{"id": 1, "title": "a"}]}"#
  private static let options = ["--port", "0", "--cert", "cert.pem", "--key", "key.pem", "database.json"]

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(Self.database)
  }

  @Test(arguments: ["--cert", "--key"])
  func `A certificate and its key are given together`(_ option: String) async throws {
    let result = try await Command.run(["--port", "0", option, "a.pem", "database.json"], in: directory)
    #expect(result.status == 64)
    #expect(result.error.hasPrefix("swift-json-server: \(option): it needs --"))
  }

  #if HTTPS
    @Test func `A program that is run gets an https address, which curl reads from`() async throws {
      _ = try TestCertificate(in: directory)
      let command = "curl -sS --cacert cert.pem $JSON_SERVER_URL/posts/1 -w '\\n%{http_version} %{scheme}\\n'"
      let result = try await Command.run(Self.options + ["--exec", command], in: directory)
      #expect(result.error == "")
      #expect(result.output.contains("https://localhost:"))
      #expect(result.output.contains(#""title": "a""#))
      #expect(result.output.lowercased().contains("\n1.1 https\n"))
      #expect(result.status == 0)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `OpenSSL's client agrees on HTTP 1.1, and sees a proper end`(_ version: String) async throws {
      _ = try TestCertificate(in: directory)
      let command = """
        address=${JSON_SERVER_URL#https://}
        printf 'GET /posts/1 HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' | openssl s_client \(version) \
          -alpn h2,http/1.1 -CAfile cert.pem -verify_return_error -ign_eof -connect "$address" 2>&1
        """
      let result = try await Command.run(Self.options + ["--exec", command], in: directory)
      #expect(result.output.contains("ALPN protocol: http/1.1"))
      #expect(result.output.contains(#""title": "a""#))
      #expect(result.status == 0)
    }

    @Test func `A ready file has the https address`() async throws {
      _ = try TestCertificate(in: directory)
      let server = try Command(Self.options + ["--ready-file", "ready", "--exec", "cat ready; cat"], in: directory)
      #expect(try await server.line(containing: "\"url\"").contains("https://localhost:"))
    }

    @Test func `A certificate that is replaced is that of the next connections`() async throws {
      _ = try TestCertificate(in: directory)
      let server = try Command(Self.options + ["--watch"], in: directory)
      let home = try await server.line(containing: "https://localhost:").split(separator: " ")[0]
      let url = home.replacing("/posts", with: "")
      _ = try TestCertificate(in: directory)
      _ = try await server.line(containing: "the certificate of cert.pem")
      #expect(Shell.run("curl -sS --cacert cert.pem \(url)/posts/1", in: directory.path).output.contains("title"))

      try directory.write("", to: "key.pem")
      _ = try await server.errorLine(containing: "key.pem: this is not a PEM file")
      _ = try await server.errorLine(containing: "The old certificate stays in use.")
      #expect(Shell.run("curl -sS --cacert cert.pem \(url)/posts/1", in: directory.path).output.contains("title"))
      #expect(Shell.run("curl -sS \(url)/posts/1 2>&1", in: directory.path).isSuccess == false)
      _ = try await server.errorLine(containing: "not trust the certificate")
    }

    @Test func `Files that do not belong together are named`() async throws {
      _ = try TestCertificate(in: directory)
      _ = try TestCertificate(in: directory, name: "other.pem")
      let result = try await Command.run(Self.options, in: directory)
      #expect(result.status == 64)
      #expect(
        result.error
          == "swift-json-server: key.pem: the private key is not that of the certificate in cert.pem; give two files that belong together.\n"
      )
    }
  #else
    @Test func `A build without HTTPS says how to get it`() async throws {
      let result = try await Command.run(Self.options, in: directory)
      #expect(result.status == 64)
      #expect(
        result.error
          == "swift-json-server: cert.pem: this build has no HTTPS; install a released executable, or build with the trait: swift build --traits HTTPS\n"
      )
    }
  #endif
}
