import ArgumentParser
import Foundation
import JSONServer
import JSONServerValues
import Testing

@testable import swift_json_server

struct OptionTableTests {
  /// What the parser knows of an option; of its help in JSON, the part that the table repeats.
  private struct Help: Decodable {
    struct Command: Decodable { let arguments: [Argument] }

    struct Argument: Decodable {
      struct Name: Decodable { let name: String }

      let kind: String
      let names: [Name]?
      let valueName: String?
    }

    let command: Command
  }

  @Test
  func `The table holds each option that is declared, with the same names`() throws {
    let help = try JSONDecoder().decode(Help.self, from: Data(ServeCommand._dumpHelp().utf8))
    // They are for the command line only.
    let others: Set<Set<String>> = [
      ["config", "c"], ["print-config"], ["color"], ["no-color"], ["help", "h"], ["version"], ["off"],
    ]
    let declared = help.command.arguments.filter { $0.kind != "positional" }.map { argument in
      Row(names: Set((argument.names ?? []).map(\.name)), isFlag: argument.kind == "flag")
    }
    let rows = ServeCommand.table.map { Row(names: Set([$0.name] + ($0.alias.map { [$0] } ?? [])), isFlag: $0.isFlag) }
    #expect(Set(rows) == Set(declared.filter { !others.contains($0.names) }))
    #expect(rows.count == Set(rows).count)
  }

  @Test func `What an option names is private, save the directories of static files`() throws {
    let help = try JSONDecoder().decode(Help.self, from: Data(ServeCommand._dumpHelp().utf8))
    let paths = help.command.arguments.filter { ["file", "dir", "source"].contains($0.valueName) }
    // JavaScript is not run, and a directory of snapshots holds other files, too.
    let others: Set = ["static", "middlewares", "snapshots"]
    let names = paths.compactMap { argument in argument.names?.map(\.name).max { $0.count < $1.count } }
    #expect(names.count > 8 && others.isSubset(of: names))
    for name in Set(names).subtracting(others) {
      let options = try ServeCommand.parse(["--\(name)", "named", "source.json"])
      #expect(options.privateFiles.contains(.file("named")), "--\(name)")
      #expect(options.privateFiles.contains(.file("source.json")))
    }
    let options = try ServeCommand.parse(["--snapshots", "named", "."])
    #expect(options.privateFiles.contains(.files(in: "named", prefix: "db-", suffixes: [".json"])))
    #expect(options.privateFiles.contains(.file("json-server.json")))
  }

  /// The members of options whose rows name none, since several options set them, or since they are elsewhere.
  private static let otherMembers = [
    "no-cors": "crossOrigin", "ephemeral": "durability", "record": "recording:", "seed": "source",
    "snapshots": "saveSnapshot",
  ]
  /// Options that only a program has, and those without effect.
  private static let optionsOfCommand: Set = [
    "exec", "ready-file", "open", "quiet", "log-format", "poll", "middlewares", "ignore",
  ]

  @Test func `The guide to tests has the Swift member of each option`() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../../Sources").standardized
    func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }
    let members = try ServeCommand.table.filter { !Self.optionsOfCommand.contains($0.name) }.map { option in
      let own = option.members.first?.replacing(" for", with: "").replacing("Server.Configuration.", with: "")
      let member = Self.otherMembers[option.name] ?? own?.replacing("Server.SignIn.", with: "signIn?.")
      return (option.name, try #require(member, "--\(option.name) has no member"))
    }
    let table = "|option|member|\n|---|---|\n" + members.map { "|`--\($0)`|`\($1)`|\n" }.joined()
    let guide = try text("JSONServerTesting/Documentation.docc/GettingStarted.md")
    #expect(guide.contains(table + "\n"), "the guide lacks this table:\n\(table)")
    let sources = try [
      "JSONServer/Server/Configuration.swift", "JSONServer/SignIn/SignIn.swift",
      "JSONServerHTTP/Transport/Limits.swift", "JSONServerHTTP/Transport/Security/TLSIdentity.swift",
    ].map(text).joined()
    for (_, member) in members where !["recording:", "saveSnapshot"].contains(member) {
      let name = member.split(separator: ".").last ?? ""
      #expect(sources.contains("public var \(name)"), "\(member)")
    }
  }

  private struct Row: Hashable {
    let names: Set<String>
    let isFlag: Bool
  }

  @Test(arguments: [
    ([], #"{"port":3000,"host":["127.0.0.1","::1"],"allowed-host":[],"cors":[],"no-cors":false,"watch":false,"#),
    (["--exec", "true"], #"{"port":0,"#),
    (["--port", "1", "--host", "::1", "--cors", "*"], #"{"port":1,"host":["::1"],"allowed-host":[],"cors":["*"],"#),
  ])
  func `The options in effect are shown as a settings file has them`(arguments: [String], start: String) throws {
    #expect(try ServeCommand.parse(arguments + ["db.json"]).json.text(pretty: false).hasPrefix(start))
  }
}
