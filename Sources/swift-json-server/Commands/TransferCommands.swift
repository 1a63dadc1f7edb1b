import ArgumentParser
import JSONServer

/// Prints the data of a database as JSON.
struct ExportCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print the data of a postgres:// database as JSON.",
    discussion: """
      The output goes to standard output: swift-json-server export postgres://… > database.json
      """,
    success: "all is written", exitCodes: transferExitCodes)

  @Argument(help: ArgumentHelp("The database: postgres://user@host/name.", valueName: "address"))
  var address: String

  func validate() throws { try checkDatabase(address) }

  func perform() async throws -> Int32 {
    try FileText.print(try await Server.exportDatabase(address))
    return 0
  }
}

/// Fills a database with the data of a file.
struct ImportCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Fill a postgres:// database from a JSON file.",
    discussion: """
      Servers of the database show the data at once.
      """,
    success: "all is written", exitCodes: transferExitCodes)

  @OptionGroup var source: FileArgument

  @Argument(help: ArgumentHelp("The database: postgres://user@host/name.", valueName: "address"))
  var address: String

  @Flag(help: "Replace existing data.")
  var replace = false

  func validate() throws { try checkDatabase(address) }

  func perform() async throws -> Int32 {
    try await Server.importDatabase(source.contents(), name: source.name, to: address, replacing: replace)
    return 0
  }
}

/// libpq would take any other text for settings of a connection, or for the name of a database on this machine.
private func checkDatabase(_ address: String) throws {
  guard !SourceLocator.isDatabase(address) else { return }
  throw ValidationError("The database's address must begin with postgres://, as in postgres://user@host/name.")
}

private let transferExitCodes: [(ExitStatus, String)] = [
  (.usage, "the address is invalid, or the program was built without PostgreSQL"),
  (.invalidSource, "the file or the tables cannot be served"), (.missingSource, "the file does not exist"),
  (.unreadable, "the database cannot be reached, refuses, or holds data already"),
]
