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
    subcommands: [
      ServeCommand.self, InitCommand.self, ValidateCommand.self, GenerateCommand.self, RecordCommand.self,
      ExportCommand.self, ImportCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)

  static func main() async {
    let subcommands = configuration.subcommands.map { $0._commandName }
    let normalizer = ArgumentNormalizer(subcommands: subcommands)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let name = arguments.first,
      let meant = normalizer.meantSubcommand(name, exists: { FileKind(of: $0) != .missing })
    {
      exit(withError: ValidationError("No command and no file is named '\(name)'. Did you mean '\(meant)'?"))
    }
    if let script = CompletionScript(arguments) {
      print(script.text)
    } else {
      await main(normalizer.normalize(arguments))
    }
  }
}
