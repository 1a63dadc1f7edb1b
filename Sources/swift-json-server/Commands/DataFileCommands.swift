import ArgumentParser
import JSONDatabase
import JSONDescription
import JSONServer
import JSONServerValues

/// The options of a data file that is read but not served.
struct DataFileOptions: ParsableArguments {
  @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["json", "json5"]))
  var file: String

  @OptionGroup var keys: KeyOptions

  /// The name of the file in generated documents.
  var name: String { file == "-" ? "standard input" : file }

  /// The schema that a server with the same options uses.
  var schema: Schema {
    get throws(CommandFailure) {
      var configuration = Server.Configuration(source: .value([:]))
      try keys.apply(to: &configuration)
      return configuration.schema
    }
  }

  /// Reads the whole file, or all of standard input.
  ///
  /// - Throws: ``CommandFailure`` that says whether the file is missing or cannot be read.
  func contents() throws(CommandFailure) -> [UInt8] { try Self.contents(of: file) }

  /// Reads the file of an argument; `-` is standard input.
  static func contents(of file: String) throws(CommandFailure) -> [UInt8] {
    if file != "-", FileKind(of: file) == .missing {
      throw CommandFailure(.missingSource, "\(SecretText.source(file)): there is no such file; check the name.")
    }
    if FileKind(of: file) == .directory {
      throw CommandFailure(.unreadable, "\(file): this is a directory; give a file that holds the whole database.")
    }
    guard let bytes = file == "-" ? FileText.contents(from: 0) : FileText.contents(of: file) else {
      throw CommandFailure(.unreadable, "\(file): the file cannot be read; check its permissions.")
    }
    return bytes
  }
}

/// Checks a file without serving it.
struct ValidateCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a file: errors, warnings, and differences from an API.",
    discussion: """
      Each finding has the file, the line and the column, and shows the line; for a JSON5 file it has only the file.

      With --against, the command reads samples of an API, and reports where their shape differs from the file's: \
      swift-json-server validate database.json --against https://api.example.com --path posts=/v2/articles
      """,
    success: "the server would serve the file; there may be warnings",
    exitCodes: [
      (.differs, "the file differs from the API of --against"),
      (.invalidSource, "the server would refuse the file or, with --strict, there is a warning"),
      (.missingSource, "the file does not exist"),
      (.unreadable, "the file cannot be read, or the API does not respond"),
    ])

  @OptionGroup var options: DataFileOptions

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Option(help: "The format: text, json, or github for annotations in a workflow.")
  var format = ReportFormat.text

  @OptionGroup var comparison: ComparisonOptions

  func perform() async throws -> Int32 {
    let text = try plainJSON(try options.contents())
    let schema = try options.schema
    let findings = Validator(schema: schema).findings(in: UTF8Slice(text))
    // Errors come first: only a file without errors is compared with the API.
    let isRefused = findings.contains { $0.severity == .error }
    let differences =
      try await isRefused
      ? []
      : comparison.differences(in: text, schema).map { difference in
        Finding(.error, difference.message, at: difference.offset, in: text)
      }
    print(format.report(findings + differences, in: file, isJSON5 ? nil : text), terminator: "")
    if isRefused || strict && !findings.isEmpty { return ExitStatus.invalidSource.rawValue }
    return differences.isEmpty ? 0 : ExitStatus.differs.rawValue
  }

  private var file: String { options.file }

  /// Whether the file is checked in its JSON form, whose lines are not the file's.
  private var isJSON5: Bool { file.hasSuffix(".json5") }

  private func plainJSON(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard isJSON5 else { return bytes }
    do throws(JSONError) {
      return try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in try JSON5.json(from: bytes) }
    } catch {
      throw CommandFailure(.invalidSource, error, in: bytes, of: file)
    }
  }
}

/// Prints code or a document for the data of a file.
struct GenerateCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print Swift models with a client, or an OpenAPI document, for a file.",
    discussion: """
      The output goes to standard output: swift-json-server generate swift database.json > Models.swift
      """,
    success: "the output is complete",
    exitCodes: [
      (.invalidSource, "the file is not JSON, or the server would refuse it"),
      (.missingSource, "the file does not exist"),
      (.unreadable, "the file cannot be read"),
    ])

  enum Product: String, ExpressibleByArgument, CaseIterable {
    case swift
    case openapi
  }

  @Argument(help: "What to print: swift or openapi.")
  var product: Product

  @Option(help: "The access level of the Swift declarations: internal (the default), package or public.")
  var access: SwiftAccess?

  @OptionGroup var options: DataFileOptions

  func validate() throws {
    guard access == nil || product == .swift else {
      throw ValidationError("--access is for Swift; an OpenAPI document has no such thing.")
    }
  }

  func perform() async throws -> Int32 {
    let description = try DataDescription(
      parsing: options.contents(), name: options.name, schema: options.schema)
    switch product {
    case .swift: print(description.swiftSource(access: access ?? .internal), terminator: "")
    case .openapi: print(description.openAPIText)
    }
    return 0
  }
}

extension SwiftAccess: ExpressibleByArgument {}

/// Writes a file to start from.
struct InitCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a file to start from; refuses to replace a file.")

  @Argument(help: "The file.", completion: .file(extensions: ["json"]))
  var file = "database.json"

  func perform() async throws -> Int32 {
    guard FileKind(of: file) == .missing else {
      throw CommandFailure(.cannotCreate, "\(file): the file exists already; name another file, or delete this one.")
    }
    guard FileText.create(file, Array(Sample.text.utf8)) else {
      throw CommandFailure(.cannotCreate, "\(file): the file cannot be created; check its directory.")
    }
    print("\(LogText.escaped(file)) is written. Serve it with: swift-json-server --watch \(LogText.escaped(file))")
    return 0
  }
}

/// The data of a new file, as json-server 0.17 creates it.
enum Sample {
  static let text = """
    {
      "posts": [
        {
          "id": 1,
          "title": "json-server",
          "author": "typicode"
        }
      ],
      "comments": [
        {
          "id": 1,
          "body": "some comment",
          "postId": 1
        }
      ],
      "profile": {
        "name": "typicode"
      }
    }

    """
}
