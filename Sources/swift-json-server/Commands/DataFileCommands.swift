import ArgumentParser
import JSONDatabase
import JSONDescription
import JSONOpenAPI
import JSONServer
import JSONServerResources
import JSONServerValues

/// A data file that is read but not served.
struct FileArgument: ParsableArguments {
  @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["json", "json5"]))
  var file: String

  /// The name of the file in messages and generated documents.
  var name: String { file == "-" ? "standard input" : file }

  /// Reads the whole file, or all of standard input.
  ///
  /// - Throws: ``CommandFailure`` that says whether the file is missing or cannot be read.
  func contents() throws(CommandFailure) -> [UInt8] { try Self.contents(of: file) }

  /// Reads the file of an argument; `-` is standard input.
  static func contents(of file: String) throws(CommandFailure) -> [UInt8] {
    switch file == "-" ? .other : FileKind(of: file) {
    case .missing:
      throw CommandFailure(.missingSource, "\(SecretText.source(file)): there is no such file; check the name.")
    case .directory:
      throw CommandFailure(.unreadable, "\(file): this is a directory; give a file that holds the whole database.")
    case .file, .executable, .other:
      if let bytes = file == "-" ? FileText.contents(from: 0) : FileText.contents(of: file) { return bytes }
      throw CommandFailure(.unreadable, "\(file): the file cannot be read; check its permissions.")
    }
  }
}

/// The options of a data file whose records' ids and keys matter.
struct DataFileOptions: ParsableArguments {
  @OptionGroup var source: FileArgument
  @OptionGroup var keys: KeyOptions

  /// The schema that a server with the same options uses.
  var schema: Schema {
    get throws(CommandFailure) {
      var configuration = Server.Configuration(source: .value([:]))
      try KeyOptions.setIDs(&configuration, keys.id)
      configuration.foreignKeySuffix = keys.foreignKeySuffix ?? configuration.foreignKeySuffix
      try KeyOptions.setIDLists(&configuration, keys.idLists)
      try CommandFailure.translating { [configuration] () throws(ServerError) in try configuration.check() }
      return configuration.schema
    }
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

  @Option(
    name: .customLong("openapi"),
    help: ArgumentHelp("Report the records that this OpenAPI document forbids.", valueName: "file"), completion: .file()
  )
  var openapi: String?

  @OptionGroup var comparison: ComparisonOptions

  func perform() async throws -> Int32 {
    let bytes = try options.source.contents()
    if Document.isDocument(bytes, name: options.source.file) { return try reportDocument(bytes) }
    let text: [UInt8]
    do throws(JSONError) {
      text = try plainJSON(bytes)
    } catch {
      let finding = Finding(.error, error.message, at: error.offset, in: bytes)
      try FileText.print(format.report([finding], in: options.source.name, bytes), terminator: "")
      return ExitStatus.invalidSource.rawValue
    }
    let schema = try options.schema
    let arrayName = text.withUnsafeBufferPointer { Source.arrayName(of: $0, in: options.source.file) }
    var findings = Validator(schema: schema, arrayName: arrayName).findings(in: UTF8Slice(text)).map { finding in
      var finding = finding
      finding.message = finding.message.respelled(CommandFailure.spellings)
      return finding
    }
    if !findings.contains(where: { $0.severity == .error }) { findings += try contractFindings(in: text) }
    // Errors come first: only a file without errors is compared with the API.
    let isRefused = findings.contains { $0.severity == .error }
    let differences =
      try await isRefused
      ? []
      : comparison.differences(in: text, schema).map { difference in
        Finding(.error, difference.message, at: difference.offset, in: text)
      }
    let report = format.report(findings + differences, in: options.source.name, isJSON5 ? nil : text)
    try FileText.print(report, terminator: "")
    if isRefused || strict && !findings.isEmpty { return ExitStatus.invalidSource.rawValue }
    return differences.isEmpty ? 0 : ExitStatus.differs.rawValue
  }

  /// Reports what a server would do with an OpenAPI document.
  private func reportDocument(_ bytes: [UInt8]) throws -> Int32 {
    let name = options.source.name
    do throws(DocumentFault) {
      let document = try Document(bytes, name: name) { FileText.contents(of: $0) }
      let notes = document.start().notes
      let report = format.report(notes.map { Finding(.warning, $0, of: name) }, in: name, bytes)
      if format == .text {
        try? FileText.print(Banner.lines(document.rows, LogStyle(isColored: false)).joined(separator: "\n"))
        if notes.isEmpty { return 0 }
      }
      try? FileText.print(report, terminator: "")
      return strict && !notes.isEmpty ? ExitStatus.invalidSource.rawValue : 0
    } catch {
      try? FileText.print(format.report([Finding(.error, error, of: name)], in: name, bytes), terminator: "")
      return ExitStatus.invalidSource.rawValue
    }
  }

  /// Reports the records that an OpenAPI document forbids.
  private func contractFindings(in text: [UInt8]) throws(CommandFailure) -> [Finding] {
    guard let openapi else { return [] }
    let (name, schema) = (options.source.name, try options.schema)
    return try CommandFailure.translating { () throws(ServerError) in
      let contract = try Contract(path: openapi)
      var places = DocumentPlaces(in: text, name: name)
      return contract.problems(ofText: text, schema).map { path, message in
        Finding(.error, places.fault(message, at: path), of: name)
      }
    }
  }

  /// Whether the file is checked in its JSON form, whose lines are not the file's.
  private var isJSON5: Bool { options.source.file.hasSuffix(".json5") }

  private func plainJSON(_ bytes: [UInt8]) throws(JSONError) -> [UInt8] {
    guard isJSON5 else { return bytes }
    return try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in try JSON5.json(from: bytes) }
  }
}

extension Finding {
  /// Creates the finding of a document's fault; one in another file has that file in its sentence.
  fileprivate init(_ severity: Severity, _ fault: DocumentFault, of file: String) {
    if fault.file == file {
      self.init(severity, fault.message, at: fault.offset, line: fault.line, column: fault.column)
    } else {
      self.init(severity, fault.description, at: 0, line: 1, column: 1)
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
      parsing: options.source.contents(), name: options.source.name, schema: options.schema)
    switch product {
    case .swift: try FileText.print(description.swiftSource(access: access ?? .internal), terminator: "")
    case .openapi: try FileText.print(description.openAPIText)
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
    try FileText.save(Array(Sample.text.utf8), to: file, isNew: true)
    let name = LogText.escaped(file)
    try FileText.print("\(name) is written. Serve it with: swift-json-server --watch \(name)")
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
