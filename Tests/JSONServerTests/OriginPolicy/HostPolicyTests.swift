import HTTPTypes
import Testing

@testable import JSONServer

@Suite struct `The Host field` {
  private let policy = HostPolicy(allowed: ["Dev.Example.com", "my-mac.local."])

  @Test(arguments: [
    "localhost", "localhost:3000", "LocalHost:3000", "localhost.", "localhost.:3000", "localhost:", "api.localhost",
    "a.b.localhost:3000", "127.0.0.1", "127.0.0.1:3000", "127.0.0.1.", "127.8.9.10", "0.0.0.0:3000",
    "192.168.1.20:3000",
    "255.255.255.255", "[::1]", "[::1]:3000", "[::]", "[FE80::1]:3000", "[2001:db8:0:0:0:0:0:1]", "[2001:db8::]",
    "[::ffff:127.0.0.1]:80", "dev.example.com", "DEV.example.com:3000", "my-mac.local", "my-mac.local.:8080",
  ])
  func `A name that no other site can have is taken`(host: String) throws {
    try policy.check(host: host)
  }

  @Test(arguments: [
    "localhost.evil.com", "127.0.0.1.nip.io", "127.0.0.1.evil.com:3000", "evil.com", "evil.com:3000", "evil-localhost",
    "notlocalhost", "localhost.com", "mylocalhost:3000", "example.com", "a.dev.example.com", "dev.example.com.evil.com",
    "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "256.0.0.1", "127.0.0.0.1", "1.2.3", "my-mac",
    "localhost_.evil.com",
  ])
  func `Any other name is refused`(host: String) {
    let error = #expect(throws: RequestError.self) { try policy.check(host: host) }
    #expect(error?.status == .forbidden)
    #expect(error?.message.contains("Server.Configuration.allowedHosts for ") == true)
  }

  @Test(arguments: [
    nil, "", " ", ":", ":3000", ".", "..", "localhost..", ".localhost", "localhost, evil.com", "localhost,localhost",
    "localhost:3000:4000", "localhost:99999", "localhost:-1", "localhost:+80", "localhost:80a",
    "localhost:99999999999999999999",
    "user@localhost", "localhost@evil.com", "localhost/", "http://localhost", "localhost evil.com", "local%68ost",
    "localhost\u{0}", "l\u{F6}calhost", "::1", "[::1", "::1]", "[]", "[::1]evil.com", "[::1].evil.com", "[:::1]",
    "[1::2::3]",
    "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7::8]x", "[12345::]", "[::g]", "[::1%25eth0]",
    "[127.0.0.1]",
    "[1.2.3.4::]", "*",
  ])
  func `A missing, doubled or malformed field is refused`(host: String?) {
    let error = #expect(throws: RequestError.self) { try policy.check(host: host) }
    #expect(error?.status == .badRequest)
    #expect(error?.message.contains("Host field") == true)
  }

  @Test func `Two fields are one too many`() {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .host, value: "localhost"))
    fields.append(HTTPField(name: .host, value: "localhost"))
    let error = #expect(throws: RequestError.self) { try policy.check(host: fields[.host]) }
    #expect(error?.status == .badRequest)
    #expect(error?.message.contains("more than one") == true)
  }
}
