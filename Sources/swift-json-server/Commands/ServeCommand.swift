import ArgumentParser
import OrderedJSON

/// Serves a source until it is stopped.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a JSON file as a REST API (the default).",
    usage: """
      swift-json-server [options] <source>
      swift-json-server <subcommand>
      """,
    discussion: """
      Options may stand before or after the source. The environment's PORT and HOST come after options, then the \
      settings of json-server.json, then the defaults.

      Subcommands: serve (the default), init, validate, generate, record, export, import. 'swift-json-server help init' tells \
      more of one.

      Exit codes:
      \(ExitStatus.table("the server was stopped", ExitStatus.allCases.map { ($0, $0.meaning) }))
      """)

  @OptionGroup var options: ServeOptions

  func run() async throws {
    let status = await CommandFailure.reporting { () async throws(CommandFailure) in
      let settings = try Settings(options)
      if options.printConfig {
        print(settings.options.json.text())
        return 0
      }
      return try await Session.run(settings)
    }
    guard status == 0 else { throw ExitCode(status) }
  }
}
