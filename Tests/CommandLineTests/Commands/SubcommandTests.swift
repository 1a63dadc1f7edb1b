import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import swift_json_server

struct SubcommandTests {
  @Test
  func `A starter file is written once, and can be served`() async throws {
    let directory = try TemporaryDirectory()
    #expect(try await Command.run(["init"], in: directory).status == 0)
    let text = directory.text()
    #expect(try await Command.run(["init"], in: directory).status == 73)
    #expect(directory.text() == text)
    #expect(try await Command.run(["validate", "database.json", "--strict"], in: directory).status == 0)
  }

  @Test
  func `Findings about a file are reported with their place`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{\n  \"posts\": [{\"id\": 1}, {\"id\": 1}]\n}")
    let result = try await Command.run(["validate", "database.json"], in: directory)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("database.json:2:31: warning: record 2 of 'posts'"))
    #expect(try await Command.run(["validate", "database.json", "--strict"], in: directory).status == 65)
  }

  @Test(arguments: [
    ("missing.json", Int32(66), "no such file"), (".", 74, "directory"),
    ("empty.json", 65, "1:1: error: the file is empty"),
    ("deep.json", 65, "1:517: error: nested deeper than 512 levels"),
    ("scalars.json", 65, "1:7: error: 'n' is a number"),
    ("slash.json", 65, "1:2: error: the key 'a/b' holds a slash"),
    ("names.json", 65, "1:11: error: 'a' is given twice"),
    ("utf8.json", 65, "1:3: error"), ("mark.json", 0, "nothing to report"),
  ])
  func `A nasty file is reported with a position and an exit code`(
    _ name: String, _ status: Int32, _ message: String
  ) async throws {
    let directory = try TemporaryDirectory()
    let files = [
      "empty.json": "", "deep.json": "{\"a\":" + String(repeating: "[", count: 100_000), "scalars.json": "{\"n\": 1}",
      "slash.json": "{\"a/b\": []}", "names.json": "{\"a\": [], \"a\": []}", "mark.json": "\u{FEFF}{\"a\": []}",
    ]
    for (name, text) in files { try directory.write(text, to: name) }
    try Data([0x7B, 0x22, 0xFF, 0x22]).write(to: URL(filePath: directory.path("utf8.json")))
    let result = try await Command.run(["validate", name], in: directory)
    #expect(result.status == status)
    #expect((result.output + result.error).contains(message))
  }

  @Test
  func `An error of a JSON5 file is a finding in each format`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{posts: [{id: 1,}", to: "posts.json5")
    let result = try await Command.run(["validate", "posts.json5", "--format", "github"], in: directory)
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("::error file=posts.json5"))
  }

  @Test(arguments: [
    (["import", "database.json", "postgres://localhost/x", "--replace"], Int32(65), "the text is empty"),
    (["import", "database.json", "fixtures"], 64, "must begin with postgres://"),
    (["export", "host=localhost password=secret"], 64, "must begin with postgres://"),
  ])
  func `Neither an empty text nor a name that is no address replaces a database`(
    _ command: [String], _ status: Int32, _ message: String
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(" \n")
    let result = try await Command.run(command, in: directory)
    #expect(result.status == status)
    #expect(result.error.contains(message))
    #expect(!result.error.contains("secret"))
  }

  @Test(arguments: [["validate"], ["generate", "swift"], ["generate", "openapi"]])
  func `Output that cannot be written is an error`(_ command: [String]) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(#"{"posts": [{"id": 1}]}"#)
    let binary = try #require(Command.binary)
    let arguments = [binary] + command + [directory.path("database.json")]
    let result = Program(arguments: ["sh", "-c", #"exec "$0" "$@" >&-"#] + arguments, errors: .apart).output()
    let message = String(decoding: result?.errors ?? [], as: UTF8.self)
    #expect(result?.status == 73)
    #expect(message.contains("Standard output cannot be written"))
  }

  @Test(arguments: ["swift", "openapi"])
  func `Nothing is generated of an empty file`(_ form: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("")
    let result = try await Command.run(["generate", form, "database.json"], in: directory)
    #expect(result.status == 65)
    #expect(result.error.contains("database.json:1:1: the file is empty"))
  }

  @Test
  func `A misspelt command is not taken for a source`() async throws {
    let result = try await Command.run(["valdate", "database.json"], in: try TemporaryDirectory())
    #expect(result.status == 64)
    #expect(result.error.contains("'valdate'. Did you mean 'validate'?"))
  }

  @Test(arguments: [["validate"], ["generate", "swift"], ["record"], ["init"]])
  func `An option that no command has is named, also where an argument is missing`(_ command: [String]) async throws {
    let result = try await Command.run(command + ["--hepl"], in: try TemporaryDirectory())
    #expect(result.status == 64)
    #expect(result.error.contains("Unknown option '--hepl'. Did you mean '--help'?"))
  }

  @Test(arguments: ["database.json", "-"])
  func `Models, a client and a document are made of a file or of standard input`(_ file: String) async throws {
    let directory = try TemporaryDirectory()
    let text = #"{"posts": [{"key": "a"}], "comments": [{"key": "b", "post_id": "a"}]}"#
    try directory.write(text)
    let swift = try await Command.run(["generate", "swift", file, "--id", "key"], in: directory, input: text)
    #expect(swift.status == 0)
    #expect(swift.output.contains("var posts: ResourceCollection<Post>"))
    #expect(swift.output.contains("from \(file == "-" ? "standard input" : file)."))
    #expect(!swift.output.contains("var key: String?"))
    #expect(swift.output.contains("\nnonisolated struct Post: "))
    let options = ["--id", "key", "--access", "public"]
    let published = try await Command.run(["generate", "swift", file] + options, in: directory, input: text)
    #expect(published.status == 0)
    #expect(published.output.contains("\npublic nonisolated struct Post: "))

    let names = ["--id", "posts=key", "--id", "comments=key", "--fks", "_id"]
    let document = try await Command.run(["generate", "openapi", file] + names, in: directory, input: text)
    #expect(document.status == 0)
    #expect(document.output.contains(#""/posts/{post_id}/comments""#))
  }

  @Test func `An OpenAPI document has no access`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{}", to: "db.json")
    let result = try await Command.run(["generate", "openapi", "db.json", "--access", "public"], in: directory)
    #expect(result.status == 64)
    #expect(result.error.contains("--access is for Swift"))
  }

  @Test(arguments: [
    (["missing.json"], Int32(66), "no such file"), (["."], 74, "directory"),
    (["invalid.json"], 65, "invalid.json:1:2:"),
    (["invalid.json", "--id", ""], 64, "'' names no member; write --id key"),
  ])
  func `What nothing can be made of is named`(_ arguments: [String], _ status: Int32, _ message: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{", to: "invalid.json")
    let result = try await Command.run(["generate", "swift"] + arguments, in: directory)
    #expect(result.status == status)
    #expect(result.error.contains(message))
    #expect(result.output == "")
  }

  @Test(arguments: [["-v"], ["--version"], ["db.json", "--version"]])
  func `The version is printed`(_ arguments: [String]) async throws {
    let result = try await Command.run(arguments, in: try TemporaryDirectory())
    #expect(result.status == 0)
    #expect(result.output.split(separator: ".").count == 3)
  }

  @Test(arguments: [
    (["--help"], ["--watch", "--foreignKeySuffix", "ADDRESS:", "init|validate"]),
    (["help"], ["69  the port is in use", "validate", "Check a file"]),
  ])
  func `Help names the options, the exit codes and the subcommands`(
    _ arguments: [String], _ texts: [String]
  ) async throws {
    let result = try await Command.run(arguments, in: try TemporaryDirectory())
    #expect(result.status == 0)
    for text in texts { #expect(result.output.contains(text)) }
  }

  @Test func `Help fits two screens of 48 lines`() {
    let lines = JSONServerCommand.helpMessage(for: ServeCommand.self, columns: 80).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 96)
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test
  func `The settings in effect are printed as a settings file`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("{}")
    try directory.write(#"{"port": 4000, "delay": 5}"#, to: "json-server.json")
    let result = try await Command.run(
      ["database.json", "--print-config", "-d", "7"], in: directory, environment: ["HOST": "::1"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(object["port"] as? Int == 4000)
    #expect(object["delay"] as? Int == 7)
    #expect(object["host"] as? [String] == ["::1"])
  }
}
