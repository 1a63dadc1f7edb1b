import ArgumentParser
import JSONDatabase
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
    if let script = CompletionScript(arguments) { return print(script.text) }
    let normalized = normalizer.normalize(arguments)
    if let error = unknownOption(in: normalized) { exit(withError: error) }
    await main(normalized)
  }

  /// What is wrong with arguments that have an option which does not exist; `nil` when they have none.
  ///
  /// The parser says first of all that an argument is missing, and never that `--help` was meant.
  private static func unknownOption(in arguments: [String]) -> (any Error)? {
    var error = failure(parsing: arguments)
    if error.map({ message(for: $0).hasPrefix("Missing expected argument") }) == true {
      error = failure(parsing: arguments + ["argument"])
    }
    let parts = error.map { message(for: $0).split(separator: "'") } ?? []
    guard parts.count > 1, parts[0] == "Unknown option " else { return nil }
    guard let meant = Spelling.nearest(to: String(parts[1]), among: ["--help", "--version"]) else { return error }
    return ValidationError("Unknown option '\(parts[1])'. Did you mean '\(meant)'?")
  }

  private static func failure(parsing arguments: [String]) -> (any Error)? {
    do {
      _ = try parseAsRoot(arguments)
      return nil
    } catch {
      return error
    }
  }
}
