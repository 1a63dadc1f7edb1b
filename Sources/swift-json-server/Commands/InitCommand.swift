import ArgumentParser
import JSONServer

/// Writes a file to start from.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a file to start from; never over another one.")

  @Argument(help: "The file.", completion: .file(extensions: ["json"]))
  var file = "database.json"

  func run() async throws {
    let status = await CommandFailure.reporting { () async throws(CommandFailure) in
      guard FileKind(of: file) == .missing else {
        throw CommandFailure(.cannotCreate, "\(file): there is such a file already; it is left as it is.")
      }
      guard FileText.create(file, Array(Sample.text.utf8)) else {
        throw CommandFailure(.cannotCreate, "\(file): the file cannot be created; check its directory.")
      }
      print("\(LogText.escaped(file)) is written. Serve it with: swift-json-server --watch \(LogText.escaped(file))")
      return 0
    }
    guard status == 0 else { throw ExitCode(status) }
  }
}
