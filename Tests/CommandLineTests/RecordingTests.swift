import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import swift_json_server

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that asks another one, as two processes of the binary.
struct RecordingTests {
  private static let posts = #"{"posts": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}, {"id": 3, "title": "c"}]}"#

  private struct Exchange: Equatable {
    let status: Int
    let body: String
    let total: String?
  }

  private func send(
    _ method: String, _ path: String, to url: URL, body: String? = nil
  ) async throws -> (exchange: Exchange, fields: [String: String]) {
    var request = URLRequest(
      url: try #require(URL(string: "\(url)\(path)")), cachePolicy: .reloadIgnoringLocalCacheData)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    let fields = Dictionary(
      http.allHeaderFields.compactMap { name, value in
        (name as? String).flatMap { name in (value as? String).map { (name.lowercased(), $0) } }
      }, uniquingKeysWith: { $1 })
    let exchange = Exchange(
      status: http.statusCode, body: String(decoding: data, as: UTF8.self), total: fields["x-total-count"])
    return (exchange, fields)
  }

  /// What a screen with posts does: lists them by pages, adds one, lists them again, opens one and deletes it.
  private func showScreen(_ url: URL) async throws -> [Exchange] {
    var exchanges: [Exchange] = []
    var path: String? = "/posts?_page=1&_limit=2"
    while let page = path {
      let (exchange, fields) = try await send("GET", page, to: url)
      exchanges.append(exchange)
      path = try fields["link"].flatMap { link in
        let next = link.split(separator: ",").first { $0.contains("rel=\"next\"") }
        return try next.map { next in
          let reference = String(try #require(next.split(separator: "<").last?.split(separator: ">").first))
          let address = try #require(URL(string: reference, relativeTo: url)?.absoluteURL)
          // It leads to the server that was asked, whichever the other one is.
          #expect(address.port == url.port)
          return try "\(address.path)?\(#require(address.query))"
        }
      }
    }
    exchanges.append(try await send("GET", "/posts", to: url).exchange)
    exchanges.append(try await send("POST", "/posts", to: url, body: #"{"title": "d"}"#).exchange)
    exchanges.append(try await send("POST", "/posts", to: url, body: #"{"title": "d", "more": 1}"#).exchange)
    for path in ["/posts", "/posts", "/posts/4", "/posts/99", "/nothing/here"] {
      exchanges.append(try await send("GET", path, to: url).exchange)
    }
    exchanges.append(try await send("DELETE", "/posts/4", to: url).exchange)
    exchanges.append(try await send("GET", "/posts/4", to: url).exchange)
    return exchanges
  }

  @Test
  func `A screen that was recorded from another server is replayed without it`() async throws {
    let (there, here) = (try TemporaryDirectory(), try TemporaryDirectory())
    try there.write(Self.posts)
    try here.write(#"{"notes": [{"id": 1}]}"#)
    let other = try Command(["database.json", "--port", "0"], in: there)
    let recording = try Command(
      ["database.json", "--port", "0", "--proxy", "\(try await other.url())", "--record", "stubs.json"], in: here)
    let recorded = try await showScreen(try await recording.url())
    #expect(recorded.map(\.status) == [200, 200, 200, 201, 201, 200, 200, 200, 404, 404, 200, 404])
    for server in [recording, other] {
      server.send(SIGTERM)
      _ = await server.status()
    }
    #expect(here.text("stubs.json")?.contains("secret") == false)

    let replaying = try Command(["database.json", "--port", "0", "--stubs", "stubs.json"], in: here)
    let url = try await replaying.url()
    #expect(try await showScreen(url) == recorded)
    #expect(try await send("GET", "/notes/1", to: url).exchange.status == 200)
    #expect(here.text() == #"{"notes": [{"id": 1}]}"#)
  }

  @Test
  func `A server that is down is a 502, and one that leads back a 508`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.posts)
    let other = try #require(ReservedPort())
    let server = try Command(
      ["database.json", "--port", "0", "--ephemeral", "--proxy", other.url, "--record", "stubs.json"], in: directory)
    let url = try await server.url()
    let down = try await send("GET", "/elsewhere", to: url).exchange
    #expect(down.status == 502)
    #expect(down.body.contains("cannot be asked: Failed to connect") || down.body.contains("cannot be asked: Couldn't"))
    other.forward(to: UInt16(try #require(url.port)))
    let loop = try await send("GET", "/elsewhere", to: url).exchange
    #expect(loop.status == 508)
    #expect(loop.body.contains("leads back to this server"))
    #expect(try await send("GET", "/posts/1", to: url).exchange.status == 200)
  }

  @Test(arguments: [
    (["--proxy", "api.example.com"], Int32(64), "--proxy: 'api.example.com' is not the address of a server"),
    (["--record", "new.json"], 64, "--record: it needs --proxy"),
    (["--proxy", "http://localhost", "--record", "database.json"], 64, "it must hold an array of stubs"),
    (["--proxy", "http://localhost", "--record", "missing/new.json"], 73, "--record: Cannot write 'missing/new.json'"),
  ])
  func `What cannot be asked or recorded is refused at start`(
    _ arguments: [String], _ status: Int32, _ message: String
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.posts)
    let result = try await Command.run(["database.json", "--port", "0"] + arguments, in: directory)
    #expect(result.status == status)
    #expect(result.error.contains(message))
    #expect(directory.text() == Self.posts)
  }

  @Test
  func `What this run records does not answer its own requests`() async throws {
    let (there, here) = (try TemporaryDirectory(), try TemporaryDirectory())
    try there.write(#"{"jobs": [{"id": 1, "state": "running"}]}"#)
    try here.write("{}")
    try here.write("[]", to: "stubs.json")
    let other = try Command(["database.json", "--port", "0"], in: there)
    let otherURL = try await other.url()
    let recording = try Command(
      [
        "database.json", "--port", "0", "--watch", "--proxy", "\(otherURL)", "--stubs", "stubs.json", "--record",
        "stubs.json",
      ], in: here)
    let url = try await recording.url()
    #expect(try await send("GET", "/jobs/1", to: url).exchange.body.contains("running"))
    // The file has been read again when this says so.
    _ = try await recording.line(containing: "0 stubs of stubs.json")
    _ = try await send("PATCH", "/jobs/1", to: otherURL, body: #"{"state": "done"}"#)
    #expect(try await send("GET", "/jobs/1", to: url).exchange.body.contains("done"))
    let responses = try JSONValue(parsing: here.text("stubs.json") ?? "").array?.first?["responses"]?.array
    #expect(responses?.compactMap { $0["body"]?["state"] } == ["running", "done"])
  }

  @Test
  func `What a broken file cannot take is kept beside it at the end`() async throws {
    let (there, here) = (try TemporaryDirectory(), try TemporaryDirectory())
    try there.write(Self.posts)
    try here.write("{}")
    let other = try Command(["database.json", "--port", "0"], in: there)
    let recording = try Command(
      [
        "database.json", "--port", "0", "--quiet", "--proxy", "\(try await other.url())", "--record", "stubs.json",
      ], in: here)
    let url = try #require(URL(string: try await recording.line(containing: "http://")))
    try here.write("[{", to: "stubs.json")
    #expect(try await send("GET", "/posts/1", to: url).exchange.status == 200)
    recording.send(SIGTERM)
    #expect(await recording.status() == ExitStatus.cannotCreate.rawValue)
    #expect(here.text("stubs.json") == "[{")
    let stubs = try JSONValue(parsing: here.text("stubs.json.recorded") ?? "")
    #expect(stubs.array?.map { $0["request"]?["path"] } == ["/posts/1"])
  }

  @Test
  func `What a broken file cannot take is kept beside it when the settings name another`() async throws {
    let (there, here) = (try TemporaryDirectory(), try TemporaryDirectory())
    try there.write(Self.posts)
    try here.write("{}")
    let other = try Command(["database.json", "--port", "0"], in: there)
    let proxy = try await other.url()
    func settings(_ file: String) -> String { #"{"proxy": "\#(proxy)", "record": "\#(file)", "watch": true}"# }
    try here.write(settings("stubs.json"), to: "json-server.json")
    let recording = try Command(["database.json", "--port", "0"], in: here)
    let url = try await recording.url()
    try here.write("[{", to: "stubs.json")
    #expect(try await send("GET", "/posts/1", to: url).exchange.status == 200)
    try here.write(settings("others.json"), to: "json-server.json")
    let line = try await recording.errorLine(containing: "stubs.json cannot take 1 recorded response")
    #expect(line.contains("stubs.json.recorded"))
    let stubs = try JSONValue(parsing: here.text("stubs.json.recorded") ?? "")
    #expect(stubs.array?.map { $0["request"]?["path"] } == ["/posts/1"])
  }

  @Test
  func `What is already in the file is answered from it, and the rest goes on being recorded`() async throws {
    let (there, here) = (try TemporaryDirectory(), try TemporaryDirectory())
    try there.write(Self.posts)
    try here.write("{}")
    try here.write(#"[{"request": {"path": "/posts/1"}, "response": {"body": "mine"}}]"#, to: "stubs.json")
    let other = try Command(["database.json", "--port", "0"], in: there)
    let recording = try Command(
      [
        "database.json", "--port", "0", "--proxy", "\(try await other.url())", "--stubs", "stubs.json", "--record",
        "stubs.json",
      ], in: here)
    let url = try await recording.url()
    #expect(try await send("GET", "/posts/1", to: url).exchange.body == "\"mine\"")
    #expect(try await send("GET", "/posts/2", to: url).exchange.status == 200)
    let stubs = try JSONValue(parsing: here.text("stubs.json") ?? "")
    #expect(stubs.array?.map { $0["request"]?["path"] } == ["/posts/1", "/posts/2"])
  }
}
