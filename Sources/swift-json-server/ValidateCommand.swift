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
      Each line names the file, the line and the column. The exit code is 65 when the file would be refused.
      """)

  @Argument(help: "The file.", completion: .file(extensions: ["json", "json5"]))
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
    guard let bytes = FileText.contents(of: file) else {
      throw CommandFailure(.missingSource, "\(file): the file cannot be read; check its name and its permissions.")
    }
    var schema = Schema()
    schema.idName = id
    schema.foreignKeySuffix = foreignKeySuffix
    return Validator(schema: schema).findings(in: Text(try plainJSON(bytes)))
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
