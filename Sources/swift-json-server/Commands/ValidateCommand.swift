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

      Exit codes:
      \(exitCodes)
      """)

  private static let exitCodes = ExitStatus.table(
    "the file would be served; surprises are reported",
    [
      (.invalidSource, "the file would be refused or, with --strict, there is something to report"),
      (.missingSource, "the file does not exist"), (.unreadable, "the file cannot be read"),
    ])

  @OptionGroup var options: DataFileOptions

  @Flag(help: "Take warnings for errors.")
  var strict = false

  func run() async throws {
    let status = await CommandFailure.reporting { () async throws(CommandFailure) in
      let findings = try findings()
      for finding in findings { print(line(finding)) }
      let errors = findings.count { strict || $0.severity == .error }
      if findings.isEmpty { print("\(LogText.escaped(file)): nothing to report") }
      return errors == 0 ? 0 : ExitStatus.invalidSource.rawValue
    }
    guard status == 0 else { throw ExitCode(status) }
  }

  private func findings() throws(CommandFailure) -> [Finding] {
    let bytes = try options.contents()
    return Validator(schema: try options.schema).findings(in: UTF8Slice(try plainJSON(bytes)))
  }

  private var file: String { options.file }

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
