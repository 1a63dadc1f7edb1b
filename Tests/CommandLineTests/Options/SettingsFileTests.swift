import ArgumentParser
import JSONServer
import JSONServerValues
import Testing

@testable import swift_json_server

struct SettingsFileTests {
  private func options(_ arguments: [String], _ json: String) throws -> (options: ServeCommand, warnings: [String]) {
    var options = try ServeCommand.parse(arguments + ["db.json"])
    var file = try SettingsFile(parsing: Array(json.utf8), path: "json-server.json")
    try options.fill(from: &file)
    return (options, file.warnings)
  }

  @Test(arguments: ["read-only", "readOnly", "ro"])
  func `A setting is known under each of 0.17's spellings`(_ name: String) throws {
    let (options, warnings) = try options([], "{\"\(name)\": true}")
    #expect(options.data.readOnly)
    #expect(warnings.isEmpty)
  }

  @Test
  func `An option wins over a setting`() throws {
    let (options, _) = try options(["--port", "1"], #"{"port": 2, "host": "::1", "id": ["_id", "posts=post_id"]}"#)
    #expect(options.address.port == 1)
    #expect(options.address.host == ["::1"])
    #expect(options.keys.id == ["_id", "posts=post_id"])
  }

  @Test
  func `A flag that is switched off stays off`() throws {
    let arguments = ArgumentNormalizer(subcommands: []).normalize(["--readOnly=false", "-w"]).dropFirst()
    let (options, _) = try options(Array(arguments), #"{"read-only": true, "watch": false}"#)
    #expect(!options.data.readOnly)
    #expect(options.data.watch)
  }

  @Test
  func `The environment comes between options and settings`() throws {
    var options = try ServeCommand.parse(["db.json"])
    try options.fill(from: ["PORT": "5", "HOST": "0.0.0.0", "NO_COLOR": "1"])
    var file = try SettingsFile(parsing: Array(#"{"port": 2}"#.utf8), path: "json-server.json")
    try options.fill(from: &file)
    #expect(options.address.port == 5)
    #expect(options.address.host == ["0.0.0.0"])
    #expect(options.running.color == false)
  }

  @Test
  func `Names that no option has are reported, with the option that was probably meant`() throws {
    #expect(
      try options([], #"{"$schema": "x", "prot": 1, "port": 2, "colour": 3}"#).warnings == [
        "json-server.json: no option is named 'prot', so it has no effect. Did you mean 'port'?",
        "json-server.json: no option is named 'colour', so it has no effect. 'swift-json-server --help' lists the options.",
      ])
  }

  @Test(arguments: [["--poll"], ["--poll", "--watch"]])
  func `Polling is accepted and changes nothing`(_ arguments: [String]) throws {
    let effective = try EffectiveOptions(try ServeCommand.parse(arguments + ["db.json"]))
    #expect(effective.warnings.isEmpty)
    #expect(try effective.configuration().watching == (arguments.contains("--watch") ? .on : .off))
  }

  @Test(arguments: [
    (#"{"port": []}"#, "json-server.json: 'port' must be a whole number."),
    (#"{"watch": "yes"}"#, "json-server.json: 'watch' must be true or false."),
    (#"{"static": [1]}"#, "json-server.json: 'static' must be a text or an array of texts."),
    (#"{"compat": "v2"}"#, "json-server.json: 'compat' must be \"v0\" or \"v1\"."),
    (#"{"max-body": "x"}"#, "json-server.json: 'max-body' must be a number of bytes, such as 500k or 10M."),
    ("[]", "json-server.json:1:1: the file must hold a JSON object, such as {}."),
    ("{\n  port: 1}", "json-server.json:2:3: expected a member name in quotes, found 'p'"),
  ])
  func `An invalid setting is named`(_ json: String, _ message: String) {
    let failure = #expect(throws: CommandFailure.self) { try options([], json) }
    #expect(failure?.message == message)
    #expect(failure?.status == .usage)
  }
}
