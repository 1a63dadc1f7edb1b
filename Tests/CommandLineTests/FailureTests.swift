import Foundation
import TestSupport
import Testing

/// How the binary ends when it cannot serve.
struct FailureTests {
  struct Case: CustomTestStringConvertible {
    let arguments: [String]
    var file: String? = nil
    let status: Int32
    let message: String

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let cases = [
    Case(arguments: [], status: 64, message: "Missing expected argument '<source>'"),
    Case(arguments: ["--hepl"], status: 64, message: "Unknown option '--hepl'. Did you mean '--help'?"),
    Case(arguments: ["--hepl", "database.json"], file: "{}", status: 64, message: "Did you mean '--help'?"),
    Case(arguments: ["--vresion"], status: 64, message: "Did you mean '--version'?"),
    Case(arguments: ["--watsh"], status: 64, message: "Unknown option '--watsh'. Did you mean '--watch'?"),
    Case(arguments: ["-x"], status: 64, message: "Unknown option '-x'"),
    Case(arguments: ["--watsh", "db.json"], status: 64, message: "Did you mean '--watch'?"),
    Case(
      arguments: ["-i", "posts=", "database.json"], file: "{}", status: 64, message: "--id: 'posts=' names no member"),
    Case(
      arguments: ["--port", "70000", "database.json"], file: "{}", status: 64, message: "--port: 70000 is not a port"),
    Case(
      arguments: ["-i", "data.id", "database.json"], file: "{}", status: 64,
      message: "--id: 'data.id' is not a top-level member"),
    Case(
      arguments: ["--now", "soon", "database.json"], file: "{}", status: 64, message: "--now: 'soon' is not a time"),
    Case(
      arguments: ["--bytes-per-second", "0", "database.json"], file: "{}", status: 64,
      message: "--bytes-per-second: 0 is not a speed"),
    Case(
      arguments: ["-s", "nope", "database.json"], file: "{}", status: 64,
      message: "--static: 'nope' is not a directory."),
    Case(
      arguments: ["-c", "nope.json", "database.json"], file: "{}", status: 64, message: "nope.json: the settings file"),
    Case(
      arguments: ["-r", "nope.json", "database.json"], file: "{}", status: 64, message: "nope.json: the file cannot"),
    Case(
      arguments: ["--guard", "users=640", "database.json"], file: "{}", status: 64, message: "--guard: it needs --auth"),
    Case(
      arguments: ["--token-lifetime", "9", "database.json"], file: "{}", status: 64,
      message: "--token-lifetime: it needs"
    ),
    Case(
      arguments: ["--auth", "users", "--guard", "users=777", "database.json"], file: "{}", status: 64,
      message: "--guard: 'users=777' is not a guard"),
    Case(
      arguments: ["--auth", "users", "--guard", "640", "database.json"], file: "{}", status: 64,
      message: "--guard: '640' is not a guard"),
    Case(
      arguments: ["--auth", "users", "--token-lifetime", "0", "database.json"], file: "{}", status: 64,
      message: "--token-lifetime: 0.0 seconds is not a valid time"),
    Case(
      arguments: ["--auth", "people", "database.json"], file: "{\"users\": []}", status: 64,
      message: "--auth: no collection is named 'people'; there are users."),
    Case(
      arguments: ["--auth", "users", "--guard", "pots=640", "database.json"], file: "{\"users\": []}", status: 64,
      message: "--guard: no resource is named 'pots'"),
    Case(
      arguments: ["--fill", "posts=now", "database.json"], file: "{}", status: 64,
      message: "--fill: 'posts=now' is not a rule; write posts.createdAt=now"),
    Case(
      arguments: ["--fill", "posts.meta.at=now", "database.json"], file: "{}", status: 64,
      message: "--fill: 'posts.meta.at=now' is not a rule"),
    Case(
      arguments: ["--fill", "posts.id=now", "database.json"], file: "{}", status: 64,
      message: "The rule for 'posts.id' cannot be used"),
    Case(
      arguments: ["--id-lists", "tags,", "database.json"], file: "{}", status: 64,
      message: "--id-lists: a name is empty"
    ),
    Case(
      arguments: ["--unique", "email", "database.json"], file: "{}", status: 64,
      message: "--unique: 'email' names no member of a resource"),
    Case(
      arguments: ["--schema", "nope.json", "database.json"], file: "{}", status: 64,
      message: "nope.json: the file cannot be read"),
    Case(
      arguments: ["--schema", "database.json", "database.json"], file: #"{"items": {"pattern": "(?=a)"}}"#, status: 64,
      message: "database.json: The JSON schema cannot be used: at #/items/pattern, the pattern '(?=a)'"),
    Case(
      arguments: ["--schema", "database.json", "database.json"], file: ##"{"items": {"$ref": "#/$defs/a"}}"##,
      status: 64,
      message: "at #/items/$ref, the reference '#/$defs/a' has no target"),
    Case(arguments: ["database.txt"], status: 66, message: "database.txt: there is no such file"),
    Case(
      arguments: ["database"], file: "{}", status: 66,
      message:
        "database: there is no such file. Did you mean 'database.json'? To make a new file, run 'swift-json-server init"
        + " database'."),
    Case(arguments: ["databse.json"], file: "{}", status: 66, message: "Did you mean 'database.json'?"),
    Case(arguments: ["databse.json", "--ephemeral"], file: "{}", status: 66, message: "Did you mean 'database.json'?"),
    Case(arguments: ["./databse.json5"], file: "{}", status: 66, message: "Did you mean './database.json'?"),
    Case(
      arguments: ["--compat", "v1", "databse.json"], file: "{}", status: 66, message: "Did you mean 'database.json'?"),
    Case(arguments: ["nonsense"], file: "{}", status: 66, message: "nonsense: there is no such file"),
    Case(arguments: ["no/where/database.json"], status: 66, message: "no/where/database.json: there is no such file"),
    Case(
      arguments: ["database.json"], file: "{\"a\": [1,}", status: 65, message: "database.json:1:10: expected a value"),
    Case(arguments: ["database.json"], file: "{\"a\": 1}", status: 65, message: "database.json:1:7: 'a' is a number"),
    Case(
      arguments: ["database.json", "--quiet", "--ready-file", "no/where.json"], file: "{}", status: 73,
      message: "--ready-file: Cannot write 'no/where.json': "),
    Case(
      arguments: ["database.json", "--ready-file", "database.json"], file: "{\"pid\": {}}", status: 64,
      message: "--ready-file: 'database.json' exists and is no ready file"),
    Case(arguments: ["--compat", "v1", "none.json"], status: 66, message: "none.json: there is no such file"),
    Case(arguments: ["http://127.0.0.1:1/"], status: 74, message: "http://127.0.0.1:1/: "),
  ]

  @Test(arguments: cases)
  func `Each failure has its exit code and names what is at fault`(_ test: Case) async throws {
    let directory = try TemporaryDirectory()
    if let file = test.file { try directory.write(file) }
    let result = try await Command.run(
      ["--port", "0"].filter { _ in !test.arguments.contains("--port") } + test.arguments, in: directory)
    #expect(result.status == test.status)
    #expect(result.error.contains(test.message))
    #expect(result.output == "")
  }

  @Test
  func `A fault in the file is shown with its line and a caret`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{\n  \"posts\": [}\n}")
    let result = try await Command.run(["database.json"], in: directory)
    #expect(
      result.error
        == "swift-json-server: database.json:2:13: expected a value, found '}'\n    \"posts\": [}\n              ^\n"
    )
  }

  @Test
  func `A port in use and a file in use have exit codes of their own`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{}")
    try directory.write("{}", to: "other.json")
    let server = try Command(["--port", "0", "database.json"], in: directory)
    let port = try #require(try await server.url().port)
    #expect(try await Command.run(["-p", "\(port)", "other.json"], in: directory).status == 69)
    #expect(try await Command.run(["-p", "0", "database.json"], in: directory).status == 75)
    server.send(SIGTERM)
    #expect(await server.status() == 0)
  }
}
