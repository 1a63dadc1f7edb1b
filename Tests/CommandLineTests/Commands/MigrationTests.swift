import Foundation
import TestSupport
import Testing

@testable import swift_json_server

/// Each directory of fixtures/migration is a project, with the report about it.
@Suite struct `A project that moves from json-server` {
  private static let projects = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../fixtures/migration").standardized

  @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: projects.path).sorted())
  func `reads what becomes of it`(_ name: String) throws {
    let directory = Self.projects.appending(path: name).path
    let report = try Migration(of: directory).text(isWritten: false) + "\n"
    let expected = try String(contentsOfFile: "\(directory)/report.txt", encoding: .utf8)
    #expect(report.replacing(directory + "/", with: "") == expected)
  }

  @Test(
    arguments: [
      (#"{"scripts": {"start": "vite"}}"#, swift_json_server.ExitStatus.missingSource), ("{}", .missingSource),
      ("[]", .usage),
    ])
  func `starts json-server in a script`(_ package: String, _ status: swift_json_server.ExitStatus) throws {
    let directory = try TemporaryDirectory()
    try directory.write(package, to: "package.json")
    #expect(throws: CommandFailure.self) { try Migration(of: directory.path) }
    do throws(CommandFailure) { _ = try Migration(of: directory.path) } catch { #expect(error.status == status) }
  }

  @Test func `gets its settings, and keeps package.json`() async throws {
    let directory = try TemporaryDirectory()
    let package = #"{"scripts": {"mock": "json-server --watch db.json --port 3001"}}"#
    try directory.write(package, to: "package.json")
    let result = try await Command.run(["migrate", "--write"], in: directory)
    #expect(result.status == 0)
    #expect(result.output.contains("mock: swift-json-server db.json"))
    #expect(directory.text("package.json") == package)
    #expect(directory.text("json-server.json") == "{\n  \"port\": 3001,\n  \"watch\": true\n}\n")
  }

  @Test(
    arguments: [
      ("json-server db.json", ["db.json"]), ("cross-env A=1 json-server db.json && vite", ["db.json"]),
      ("npx -y json-server@beta 'my db.json'", ["my db.json"]),
      (#"npm-run-all "json-server -p 1 db.json" x"#, ["-p", "1", "db.json"]),
      (#"concurrently "vite" "json-server \"a b.json\"""#, ["a b.json"]),
      ("vite & ./bin/json-server x.json", ["x.json"]), ("vite", nil),
    ] as [(String, [String]?)])
  func `runs a command within a line of a shell`(_ line: String, _ arguments: [String]?) {
    #expect(ShellLine(line).command(running: ["json-server"])?.arguments == arguments)
  }
}
