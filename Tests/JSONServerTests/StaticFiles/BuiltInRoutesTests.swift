import Foundation
import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

/// Which of pages, files and data a path leads to.
@Suite struct `A path` {
  private static let data: JSONValue = [
    "posts": [["id": 1]], "comments": [["id": 2, "postId": 1]], "profile": ["name": "x"],
  ]

  @Test(arguments: [
    // Without their extension, pages come after the data.
    ("/about", 200, "about"), ("/posts", 200, "[{\"id\":1}]"), ("/posts.html", 200, "page"),
    ("/docs/intro", 200, "intro"),
    ("/about/", 404, "about"), ("/abouts", 404, "abouts"),
    // As json-server 0.17's own.
    ("/index.html", 200, "<!DOCTYPE"), ("/favicon.ico", 200, "<svg"), ("/index.htm", 404, "index.htm"),
    // Dot segments are resolved.
    ("/./posts", 200, "[{\"id\":1}]"), ("/posts/../comments", 200, "[{\"id\":2,"), ("/posts/%2e%2e/profile", 200, "x"),
    ("/posts/1/../1", 200, "{\"id\":1}"), ("/..", 200, "<!DOCTYPE"), ("/../secret.txt", 404, "secret"),
    ("/docs/../about.html", 200, "about"), ("/./about", 200, "about"), ("/x/../__rules", 200, "{}"),
    ("/posts/../__admin/health", 200, "uptime"), ("/docs/..%2f../secret.txt", 404, "docs"),
  ])
  func `leads to one thing`(_ target: String, _ status: Int, _ part: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("secret", to: "secret.txt")
    try directory.write("about", to: "public/about.html")
    try directory.write("page", to: "public/posts.html")
    try directory.write("intro", to: "public/docs/intro.html")
    let server = try await AdminFixture.server(Self.data) { $0.staticDirectories = [directory.path("public")] }
    let response = await server.send(.get, target)
    #expect(response.status.code == status)
    let text = response.text
    let json = (try? JSONValue(parsing: text))?.text(pretty: false)
    #expect((json ?? text).localizedCaseInsensitiveContains(part), "\(text.prefix(200))")
    #expect(!text.hasPrefix("secret"))
  }

  @Test func `of a page without its extension takes GET alone`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("about", to: "public/about.html")
    let server = try await AdminFixture.server(Self.data) { $0.staticDirectories = [directory.path("public")] }
    for (method, status) in [(.head, 200), (.post, 404), (.options, 204)] as [(HTTPRequest.Method, Int)] {
      #expect(await server.send(method, "/about").status.code == status)
    }
  }

  /// Each file is named after what it is.
  @Test func `leads to no file that the configuration names, and to the other files beside these`() async throws {
    let directory = try TemporaryDirectory()
    let hidden = [
      "data.json", "stubs.json", "seed.json", "cert.pem", "key.pem", "settings.json", "db-1732520000000.json",
    ]
    for name in hidden + ["index.html", "manifest.json"] { try directory.write("[]", to: name) }
    try directory.write("[]", to: "data/posts.json")
    try directory.write("<p>", to: "data/public/index.html")
    func configuration(_ source: Source, static path: String) -> Server.Configuration {
      var configuration = Server.Configuration(source: source)
      configuration.staticDirectories = [path]
      configuration.stubsFile = directory.path("stubs.json")
      configuration.tlsIdentity = TLSIdentity(
        certificatePath: directory.path("cert.pem"), keyPath: directory.path("key.pem"))
      configuration.privateFiles = [
        .file(directory.path("settings.json")), .files(in: directory.path, prefix: "db-", suffixes: [".json"]),
      ]
      return configuration
    }
    func serves(_ target: String, _ configuration: Server.Configuration) throws -> Bool {
      let files = StaticFiles(
        directories: configuration.staticDirectories, privateFiles: configuration.allPrivateFiles)
      return files.respond(to: Request(method: .get, target: target), try RequestTarget(target))?.status == .ok
    }
    let file = configuration(.file(directory.path("data.json")), static: directory.path)
    let shared = configuration(
      .postgreSQL(url: "postgres://localhost", seed: directory.path("seed.json")), static: directory.path)
    for name in hidden { #expect(try !serves("/\(name)", name == "seed.json" ? shared : file), "\(name)") }
    for name in ["", "index.html", "manifest.json"] { #expect(try serves("/\(name)", file), "\(name)") }
    let data = configuration(.directory(directory.path("data")), static: directory.path("data"))
    #expect(try !serves("/posts.json", data))
    #expect(try serves("/public/", data))
  }
}
