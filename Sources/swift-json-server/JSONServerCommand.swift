import ArgumentParser
import JSONServer

/// The command line of swift-json-server.
@main
struct JSONServerCommand: AsyncParsableCommand {
  static let version = Server.version

  static let configuration = CommandConfiguration(
    commandName: "swift-json-server",
    abstract: "Serves a JSON file as a REST API, and writes every change back.",
    version: version,
    subcommands: [ServeCommand.self, InitCommand.self, ValidateCommand.self, GenerateCommand.self],
    defaultSubcommand: ServeCommand.self)

  static func main() async {
    let subcommands = configuration.subcommands.map { $0._commandName }
    let arguments = ArgumentNormalizer(subcommands: subcommands).normalize(Array(CommandLine.arguments.dropFirst()))
    await main(arguments)
  }
}
