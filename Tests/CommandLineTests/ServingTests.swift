import Foundation
import TestSupport
import Testing

@testable import swift_json_server

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the binary prints and does while it serves.
struct ServingTests {
  private static let database = #"{"posts": [{"id": 1, "title": "a"}], "profile": {"name": "b"}}"#

  /// Writes a program by a shell: a child that another test starts meanwhile would hold this process's open file, and a
  /// program that is open for writing cannot be run.
  private func write(_ program: String, to name: String, in directory: TemporaryDirectory) {
    let writing = #"printf '#!/bin/sh\n%s\n' "$1" > "$0"; chmod +x "$0""#
    #expect(Program(arguments: ["sh", "-c", writing, directory.path(name), program]).output()?.status == 0)
  }

  private func get(_ url: URL) async throws -> String {
    String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
  }

  @Test
  func `The banner names the file, its resources, the sockets and how changes are kept`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["--watch", "database.json", "--port", "0"], in: directory)
    #expect(try await server.line(containing: " serves ").contains("database.json"))
    #expect(try await server.line(containing: "/posts").hasSuffix("1 record"))
    #expect(try await server.line(containing: "/profile").hasSuffix("object"))
    #expect(try await server.line(containing: "Listening on").contains("127.0.0.1:"))
    let saving = try await server.line(containing: "Saving")
    #expect(saving.contains("database.json before responding"))
    #expect(saving.count <= 80)
    _ = try await server.line(containing: "Watching for edits")
    server.send(SIGINT)
    #expect(await server.status() == 0)
  }

  @Test
  func `A request is one line, with what could steer a terminal escaped`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["database.json", "--port", "0"], in: directory)
    let url = try await server.url()
    _ = try await get(url.appendingPathComponent("posts/1"))
    let line = try await server.line(containing: "/posts/1")
    let fields = line.split(separator: " ").dropFirst()
    #expect(fields.prefix(2) == ["GET", "200"])
    #expect(fields.last == "/posts/1")
    _ = try await get(try #require(URL(string: "\(url)/posts?%E2%80%AE%C2%9B31m=1")))
    let hint = try await server.line(containing: "31m")
    #expect(hint.contains("\\u{202E}\\u{9B}31m"))
    server.send(SIGTERM)
    #expect(await server.status() == 0)
  }

  @Test
  func `The JSON format is one object per line`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["database.json", "--port", "0", "--log-format", "json"], in: directory)
    let start = try await server.line(containing: "listening")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(start.utf8)) as? [String: Any])
    let url = try #require((object["url"] as? String).flatMap(URL.init(string:)))
    _ = try await get(url.appendingPathComponent("nope"))
    let line = try await server.line(containing: "request")
    let request = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(request["path"] as? String == "/nope")
    #expect(request["status"] as? Int == 404)
    _ = try await get(try #require(URL(string: "\(url)/posts?%E2%80%AE%C2%9B31m=1")))
    #expect(try await server.line(containing: "31m").contains(#"\u202E\u009B31m"#))
  }

  @Test
  func `A missing JSON file is created with sample data`() async throws {
    let directory = try TemporaryDirectory()
    let server = try Command(["new.json", "--port", "0"], in: directory)
    _ = try await server.errorLine(containing: "new.json does not exist; the server creates it with sample data.")
    let url = try await server.url()
    #expect(try await get(url.appendingPathComponent("posts/1")).contains("typicode"))
    #expect(directory.text("new.json")?.contains("\"comments\"") == true)
  }

  @Test(arguments: [("\n", true), ("y\n", true), ("n\n", false)])
  func `A person at a terminal is asked which file was meant`(_ answer: String, _ isMeant: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let arguments = ["databse.json", "--port", "0", "--exec", "true"]
    let terminal = try Command(
      arguments, in: directory, environment: ["NO_COLOR": "1"], input: answer, isInTerminal: true)
    let line = try await terminal.line(containing: "databse.json does not exist. Serve database.json instead? [Y/n]")
    #expect(line.contains(isMeant ? " serves database.json" : "init databse.json"))
    #expect(await terminal.status() == (isMeant ? 0 : 66))
    #expect(directory.names == ["database.json"])
  }

  @Test(arguments: [("v2.json", "v1.json"), ("posts.json", "users.json"), ("db.json", "data.json")])
  func `A file of another name is no reason to refuse a new one`(_ name: String, _ other: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database, to: other)
    let server = try Command([name, "--port", "0"], in: directory)
    _ = try await server.errorLine(containing: "\(name) does not exist; the server creates it")
    _ = try await server.url()
  }

  @Test
  func `The page is opened in the browser`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    for name in ["open", "xdg-open"] { write(#"printf '%s\n' "$1" > opened"#, to: name, in: directory) }
    // Whoever reads it waits for whoever writes it.
    #expect(mkfifo(directory.path("opened"), 0o600) == 0)
    let path = "\(directory.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let result = try await Command.run(
      ["database.json", "--port", "0", "--open", "--quiet", "--exec", "cat opened"], in: directory,
      environment: ["PATH": path])
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("http://") && lines[0] == lines[1], "\(result.output)")
  }

  @Test(arguments: [([], "Ctrl-C stops it"), (["--exec", "true"], "it stops when the command ends")])
  func `The first line has the address, what is served, and how to stop it`(
    _ options: [String], _ end: String
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["database.json", "--port", "0"] + options, in: directory)
    let first = try await server.line(containing: "http://")
    #expect(first.hasPrefix("  http://") && first.hasSuffix(" serves database.json; \(end)"), "\(first)")
  }

  @Test
  func `With --ephemeral a missing file stays missing`() async throws {
    let directory = try TemporaryDirectory()
    let server = try Command(["new.json", "--port", "0", "--ephemeral"], in: directory)
    let url = try await server.url()
    #expect(try await get(url.appendingPathComponent("posts/1")).contains("typicode"))
    #expect(directory.text("new.json") == nil)
  }

  @Test
  func `Edits of the file, a broken one and the mended one are reported`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["--watch", "database.json", "--port", "0"], in: directory)
    _ = try await server.line(containing: "Watching")
    try directory.write(#"{"posts": [], "users": []}"#)
    _ = try await server.line(containing: "posts, users")
    try directory.write("{\"posts\": [")
    #expect(try await server.errorLine(containing: "invalid").contains("database.json:1:12"))
    try directory.write(#"{"albums": []}"#)
    _ = try await server.line(containing: "albums")
  }

  @Test
  func `Rules are reloaded when they are edited, and kept when they are broken`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    try directory.write(#"{"/a": "/posts"}"#, to: "routes.json")
    let server = try Command(["-w", "database.json", "-p", "0", "-r", "routes.json"], in: directory)
    _ = try await server.line(containing: "/a → /posts")
    let url = try await server.url()
    try directory.write(#"{"/bb": "/profile"}"#, to: "routes.json")
    _ = try await server.line(containing: "1 rewrite rules of routes.json")
    #expect(try await get(url.appendingPathComponent("bb")).contains("name"))
    try directory.write("{\"/bb\": 1}", to: "routes.json")
    _ = try await server.errorLine(containing: "The rewrite rule '/bb' cannot be used")
    #expect(try await get(url.appendingPathComponent("bb")).contains("name"))
  }

  @Test
  func `Stubs are reloaded when they or their files are edited, and kept when they are broken`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    try directory.write("one", to: "a.txt")
    try directory.write(#"[{"request": {"path": "/a"}, "response": {"bodyFile": "a.txt"}}]"#, to: "stubs.json")
    let server = try Command(["-w", "database.json", "-p", "0", "--stubs", "stubs.json"], in: directory)
    let url = try await server.url()
    #expect(try await get(url.appendingPathComponent("a")) == "one")
    try directory.write("another", to: "a.txt")
    // A server may also read, and report, a half-written file.
    repeat {
      _ = try await server.line(containing: "1 stub of stubs.json")
    } while try await get(url.appendingPathComponent("a")) != "another"
    try directory.write(#"[{"request": {"path": "/a"}, "response": {"status": 1000}}]"#, to: "stubs.json")
    _ = try await server.errorLine(containing: "stubs.json:1:53: 'status' must be")
    #expect(try await get(url.appendingPathComponent("a")) == "another")
    server.send(SIGINT)
    #expect(await server.status() == 0)
  }

  @Test(arguments: [("posts/1", 0), ("post", 1), ("__session/a/post", 1)])
  func `A strict server's program fails when a request came that was not expected`(
    _ path: String, _ status: Int32
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let result = try await Command.run(
      [
        "-q", "database.json", "-p", "0", "--strict", "--sessions", "--exec",
        "curl -s $JSON_SERVER_URL/\(path) >/dev/null",
      ], in: directory)
    #expect(result.status == status)
    #expect(result.error.contains("GET /\(path)\n") == (status == 1))
  }

  @Test
  func `A file of stubs that cannot be used is an error of the options`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    try directory.write(#"[{"respons": {}}]"#, to: "stubs.json")
    let result = try await Command.run(["database.json", "-p", "0", "--stubs", "stubs.json"], in: directory)
    #expect(result.status == 64)
    #expect(result.error.contains("stubs.json:1:14: 'respons' is not known here"))
  }

  @Test
  func `The speed of bodies and the time are options`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    try directory.write(#"{"bytesPerSecond": 1000000}"#, to: "json-server.json")
    let result = try await Command.run(
      [
        "database.json", "--quiet", "--now", "2030-01-31T09:30:00Z", "--exec",
        #"curl -sf "$JSON_SERVER_URL/__admin/settings""#,
      ], in: directory)
    #expect(result.output.contains(#""bytesPerSecond": 1000000"#))
    #expect(result.output.contains(#""now": "2030-01-31T09:30:"#))
  }

  @Test
  func `An edit of the settings starts the server anew on its port`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["-w", "database.json", "-p", "0"], in: directory)
    let url = try await server.url()
    try directory.write(#"{"read-only": true}"#, to: "json-server.json")
    _ = try await server.line(containing: "Refusing changes")
    #expect(try await get(url.appendingPathComponent("posts/1")).contains("title"))
  }

  @Test(arguments: [["--schema", "schema.json"], ["--check"]])
  func `An edit of the schema holds, and a broken schema is reported`(_ options: [String]) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(#"{"$schema": "schema.json", "posts": []}"#)
    try directory.write("[]", to: "stubs.json")
    try directory.write("{}", to: "schema.json")
    let command = ["-w", "database.json", "-p", "0", "--stubs", "stubs.json"] + options
    let server = try Command(command, in: directory)
    let url = try await server.url()
    try directory.write(#"{"properties": {"posts": {"items": {"required": ["title"]}}}}"#, to: "schema.json")
    #expect(try await server.line(containing: "reloaded").contains("database.json: 1 resource"))
    var request = URLRequest(url: url.appendingPathComponent("posts"))
    request.httpMethod = "POST"
    request.httpBody = Data("{}".utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    #expect((try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode == 422)
    try directory.write("{", to: "schema.json")
    #expect(try await server.errorLine(containing: "invalid").contains("schema.json"))
    #expect((try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode == 422)
  }

  @Test
  func `An edited OpenAPI document is taken over: records stay, and those that it forbids are named`() async throws {
    func document(_ maximum: Int, _ more: String = "") -> String {
      """
      openapi: 3.0.3
      info: {title: Notes, version: '1'}
      paths:
        /notes:
          get: {responses: {'200': {description: all, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Note'}}}}}}}
          post:
            requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
            responses: {'201': {description: one, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}, '400': {description: no}}
        /notes/{id}:
          get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}], responses: {'200': {description: one, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}, '404': {description: none}}}
      \(more)
      components: {schemas: {Note: {type: object, required: [text], properties: {id: {type: integer, readOnly: true}, text: {type: string, maxLength: \(maximum)}}}}}
      """
    }
    let directory = try TemporaryDirectory()
    try directory.write(document(9), to: "openapi.yaml")
    let server = try Command(["-w", "openapi.yaml", "-p", "0"], in: directory)
    let url = try await server.url()
    var request = URLRequest(url: url.appendingPathComponent("notes"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"text": "too long"}"#.utf8)
    #expect((try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode == 201)
    try directory.write(document(4, "  /health: {get: {responses: {'204': {description: ok}}}}"), to: "openapi.yaml")
    #expect(try await server.errorLine(containing: "The notes 4").contains("text must have at most 4 characters"))
    // The server starts anew on its port.
    _ = try await server.line(containing: "/health")
    _ = try await server.line(containing: "Listening on")
    #expect(try await get(url.appendingPathComponent("notes/4")).contains("too long"))
    #expect((try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode == 400)
    try directory.write("openapi: 3.0.3\npaths: [", to: "openapi.yaml")
    #expect(try await server.errorLine(containing: "openapi.yaml:2:8").contains("not closed"))
    #expect(try await get(url.appendingPathComponent("notes/4")).contains("too long"))
  }

  @Test
  func `An edit while the source is read is not lost`() async throws {
    let directory = try TemporaryDirectory()
    let program = #"test -e json-server.json || echo '{"read-only": true}' > json-server.json; echo '{"posts": []}'"#
    write(program, to: "program", in: directory)
    let server = try Command(["-w", "program", "-p", "0"], in: directory)
    _ = try await server.line(containing: "Refusing changes")
  }

  @Test
  func `Standard input is not read again`() async throws {
    let directory = try TemporaryDirectory()
    let server = try Command(["-w", "-", "-p", "0"], in: directory, input: Self.database)
    let url = try await server.url()
    try directory.write(#"{"read-only": true}"#, to: "json-server.json")
    _ = try await server.errorLine(containing: "standard input is a pipe, which cannot be read again")
    #expect(try await get(url.appendingPathComponent("profile")).contains("\"b\""))
  }

  @Test
  func `Quiet prints the address alone`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let result = try await Command.run(
      ["-q", "database.json", "--exec", "curl -s $JSON_SERVER_URL/posts >/dev/null"], in: directory)
    #expect(result.output.hasPrefix("http://127.0.0.1:"))
    #expect(result.output.split(separator: "\n").count == 1)
    #expect(result.error == "")
  }

  @Test
  func `The ready file holds the address, and is removed with the server`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let command = ["database.json", "--ready-file", "ready.json", "--exec", "cat ready.json"]
    let result = try await Command.run(command + ["--quiet"], in: directory)
    #expect(result.output.contains("\"pid\": "))
    #expect(result.output.contains("\"url\": \"http://127.0.0.1:"))
    #expect(directory.text("ready.json") == nil)
  }

  @Test(arguments: [
    (#"{"url": "http://127.0.0.1:1", "port": 1, "pid": 1}"#, Int32(0)), ("", 0), ("{}", 64), ("text", 64),
  ])
  func `A ready file replaces that of a killed server, and no other file`(_ old: String, _ status: Int32) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    try directory.write(old, to: "ready.json")
    let program = #"grep '"pid": ' ready.json && ! grep '"pid": 1}' ready.json"#
    let command = ["database.json", "--ready-file", "ready.json", "--exec", program]
    #expect(try await Command.run(command, in: directory).status == status)
    #expect(directory.text("ready.json") == (status == 0 ? nil : old))
  }

  @Test
  func `A signal also ends a server that still waits for its source`() async throws {
    let directory = try TemporaryDirectory()
    write("echo started >&2; exec sleep 60", to: "program", in: directory)
    let server = try Command(["program", "--port", "0"], in: directory)
    _ = try await server.errorLine(containing: "program is a program: the server runs it now")
    _ = try await server.errorLine(containing: "started")
    server.send(SIGTERM)
    #expect(await server.status() == 128 + SIGTERM)
  }

  @Test
  func `A port in use leaves the server and its data in memory as they are`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let other = try Command(["database.json", "--ephemeral", "--port", "0"], in: directory)
    let port = try #require(try await other.url().port)
    try directory.write(#"{"port": 0}"#, to: "json-server.json")
    let server = try Command(["-w", "database.json", "--ephemeral"], in: directory)
    let posts = try await server.url().appendingPathComponent("posts")
    var request = URLRequest(url: posts)
    request.httpMethod = "POST"
    _ = try await URLSession.shared.data(for: request)
    try directory.write(#"{"port": \#(port)}"#, to: "json-server.json")
    _ = try await server.errorLine(containing: "Port \(port) of 127.0.0.1 is in use")
    #expect(try await get(posts.appendingPathComponent("2")).contains("\"id\": 2"))
    withExtendedLifetime(other) {}
  }

  @Test(arguments: [("exit 7", 7), ("kill -9 $$", 137), ("test -n \"$JSON_SERVER_URL\"", 0)])
  func `The exit code of a program that is run is passed on`(_ program: String, _ status: Int32) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    #expect(try await Command.run(["database.json", "--exec", program], in: directory).status == status)
  }

  @Test
  func `A program that is run has none of the server's sockets and files`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    // Without a redirection, for which some shells open a descriptor of their own.
    let program = "n=3; while [ $n -lt 100 ]; do [ -e /dev/fd/$n ] && echo $n; n=$((n + 1)); done; echo all"
    let result = try await Command.run(["database.json", "--quiet", "--exec", program], in: directory)
    #expect(result.output.split(separator: "\n").dropFirst() == ["all"])
  }

  @Test
  func `Standard input and the output of a program are served from memory`() async throws {
    let directory = try TemporaryDirectory()
    write(#"echo '{"albums": []}'"#, to: "program", in: directory)
    let exec = ["--quiet", "--exec", "curl -s $JSON_SERVER_URL/db"]
    #expect(try await Command.run(["-"] + exec, in: directory, input: Self.database).output.contains("profile"))
    #expect(try await Command.run(["program"] + exec, in: directory).output.contains("albums"))
  }

  @Test
  func `A pipe is read to its end, however slowly it is written, and only once`() async throws {
    let directory = try TemporaryDirectory()
    #expect(Program(arguments: ["mkfifo", directory.path("pipe")]).output()?.status == 0)
    let server = try Command(["pipe", "--port", "0", "--watch"], in: directory)
    let writer = try #require(FileHandle(forWritingAtPath: directory.path("pipe")))
    try writer.write(contentsOf: Data(Self.database.utf8.prefix(20)))
    // It waits meanwhile for the rest.
    #expect(Program(arguments: ["sh", "-c", "true"]).output()?.status == 0)
    try writer.write(contentsOf: Data(Self.database.utf8.dropFirst(20)))
    try writer.close()
    let url = try await server.url()
    #expect(try await get(url.appendingPathComponent("profile")).contains("\"b\""))
    try directory.write(#"{"read-only": true}"#, to: "json-server.json")
    #expect(try await server.errorLine(containing: "cannot be read again").contains("pipe"))
    #expect(try await get(url.appendingPathComponent("profile")).contains("\"b\""))
  }

  @Test(arguments: ["s\n", "x\n  S \nsave\n"])
  func `A line of s on a pipe saves a snapshot`(_ input: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["database.json", "--port", "0"], in: directory, input: input)
    let line = try await server.line(containing: "Saved snapshot to db-")
    let name = try #require(line.split(separator: " ").last.map(String.init))
    #expect(directory.text(name)?.contains("profile") == true)
    server.send(SIGTERM)
    #expect(await server.status() == 0)
    #expect(directory.names(in: ".").count(where: { $0.hasPrefix("db-") }) == 1)
  }

  @Test
  func `With 1.0's dialect --static is served beside the usual directory`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("usual", to: "public/usual.txt")
    try directory.write("usual", to: "public/both.txt")
    try directory.write("other", to: "other/both.txt")
    try directory.write("other", to: "other/other.txt")
    try directory.write(Self.database)
    let command = ["database.json", "--quiet", "--static", "other", "--exec"]
    let program =
      "for name in usual other both; do curl -s $JSON_SERVER_URL/$name.txt; echo; done | tail -n 3 | cut -c1-5"
    let v1 = try await Command.run(["--compat", "v1"] + command + [program], in: directory)
    #expect(v1.output.split(separator: "\n").suffix(3) == ["usual", "other", "usual"])
    let classic = try await Command.run(command + ["curl -s $JSON_SERVER_URL/both.txt"], in: directory)
    #expect(classic.output.hasSuffix("other"))
  }

  @Test
  func `A response that a page does not get is marked`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["database.json", "--port", "0"], in: directory)
    var request = URLRequest(url: try await server.url().appendingPathComponent("profile"))
    request.setValue("https://app.example", forHTTPHeaderField: "Origin")
    _ = try await URLSession.shared.data(for: request)
    #expect(try await server.line(containing: "hint").contains("--cors https://app.example"))
    #expect(try await server.line(containing: "/profile").hasSuffix("/profile  withheld from https://app.example"))
  }

  @Test
  func `Another server is a source`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.database)
    let server = try Command(["database.json", "-p", "0"], in: directory)
    let url = try await server.url()
    let exec = ["--quiet", "--exec", "curl -s $JSON_SERVER_URL/profile"]
    // curl would make two requests of braces, and refuses brackets.
    let source = "\(url)/db?ids={1,2}&filter[author]=ada"
    #expect(try await Command.run([source] + exec, in: directory).output.contains("\"name\": \"b\""))
    let missing = try await Command.run(["\(url)/nope"] + exec, in: directory)
    #expect(missing.status == 74)
    #expect(missing.error.contains("responded with status 404"))
  }

  @Test
  func `The password of another server is shown nowhere`() async throws {
    let directory = try TemporaryDirectory()
    // Reading takes so long that the server says so.
    let curl = #"echo "$@" > arguments; cat > options; sleep 0.6; printf '{"posts": []}\n200'"#
    write(curl, to: "curl", in: directory)
    let path = "\(directory.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let server = try Command(
      ["-w", "https://ada:secret@api.example/db", "-p", "0"], in: directory, environment: ["PATH": path])
    let shown = "https://api.example/db"
    #expect(try await server.errorLine(containing: "cannot be watched").contains(" \(shown) "))
    #expect(try await server.line(containing: "working").contains("read \(shown) in "))
    #expect(try await server.line(containing: " serves ").contains(" \(shown); "))
    #expect(directory.text("arguments")?.contains("secret") == false)
    #expect(directory.text("options")?.contains("url = \"https://ada:secret@api.example/db\"") == true)
    try directory.write(#"{"read-only": true}"#, to: "json-server.json")
    #expect(try await server.line(containing: "reloaded").contains(" \(shown): "))
  }
}
