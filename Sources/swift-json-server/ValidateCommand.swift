import ArgumentParser
import JSONDatabase
import JSONServer
import OrderedJSON

/// Checks a file without serving it.
struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Say what about a file would be refused, or would surprise.",
    discussion: """
      Each line names the file, the line and the column; of a JSON5 file it names the file alone.

      EXIT CODES:
        0  the file would be served; what would surprise is told
        65  the file would be refused or, with --strict, there is something to tell
        66  the file does not exist
        74  the file cannot be read
      """)

  @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["json", "json5"]))
  var file: String

  @Flag(help: "Take warnings for errors.")
  var strict = false

  @Option(name: .shortAndLong, help: ArgumentHelp("The member that holds a record's id.", valueName: "name"))
  var id = "id"

  @Option(
    name: [.customLong("foreignKeySuffix"), .customLong("fks")],
    help: ArgumentHelp("What a foreign key ends with.", valueName: "suffix"))
  var foreignKeySuffix = "Id"

  func run() async throws {
    let status = await CommandFailure.reporting { () async throws(CommandFailure) in
      let findings = try findings()
      for finding in findings { print(line(finding)) }
      let errors = findings.count { strict || $0.severity == .error }
      if findings.isEmpty { print("\(LogText.escaped(file)): nothing to find fault with") }
      return errors == 0 ? 0 : ExitStatus.invalidSource.rawValue
    }
    guard status == 0 else { throw ExitCode(status) }
  }

  private func findings() throws(CommandFailure) -> [Finding] {
    let bytes = try contents()
    var schema = Schema()
    schema.idName = id
    schema.foreignKeySuffix = foreignKeySuffix
    return Validator(schema: schema).findings(in: Text(try plainJSON(bytes)))
  }

  private func contents() throws(CommandFailure) -> [UInt8] {
    if file != "-", FileKind(of: file) == .missing {
      throw CommandFailure(.missingSource, "\(file): there is no such file; check the name.")
    }
    if FileKind(of: file) == .directory {
      throw CommandFailure(.unreadable, "\(file): this is a directory; give a file that holds the whole database.")
    }
    guard let bytes = file == "-" ? FileText.contents(from: 0) : FileText.contents(of: file) else {
      throw CommandFailure(.unreadable, "\(file): the file cannot be read; check its permissions.")
    }
    return bytes
  }

  private var isJSON5: Bool { file.hasSuffix(".json5") }

  private func plainJSON(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard isJSON5 else { return bytes }
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(JSONError) in try JSON5.json(from: bytes) }
    }
    do throws(JSONError) {
      return try result.get()
    } catch {
      throw CommandFailure(
        .invalidSource, "\(file):\(error.description)", excerpt: Excerpt(of: bytes, at: error.offset).text)
    }
  }

  /// JSON5 is checked in its JSON form, whose lines are not the file's.
  private func line(_ finding: Finding) -> String {
    let place = isJSON5 ? "\(file):" : "\(file):\(finding.line):\(finding.column):"
    let severity = finding.severity == .error ? "error" : "warning"
    return LogText.escaped("\(place) \(severity): \(finding.message)")
  }
}
