import ArgumentParser
import JSONDatabase
import JSONServer
import JSONServerValues

/// A file of data that is looked at and not served, and what its ids and references are called.
struct DataFileOptions: ParsableArguments {
  @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["json", "json5"]))
  var file: String

  @OptionGroup var keys: KeyOptions

  /// What a document made from the file calls it.
  var name: String { isStandardInput ? "standard input" : file }

  /// The names that serving the file with the same options goes by.
  var schema: Schema {
    get throws(CommandFailure) {
      let ids = try IDNames(keys.id)
      var schema = Schema()
      schema.idName = ids.common ?? schema.idName
      schema.idNames = ids.names
      schema.foreignKeySuffix = keys.foreignKeySuffix ?? schema.foreignKeySuffix
      schema.idLists = try keys.idListNames
      return schema
    }
  }

  private var isStandardInput: Bool { file == "-" }

  /// Reads the whole file, or all of standard input.
  ///
  /// - Throws: ``CommandFailure`` that says whether the file is missing or cannot be read.
  func contents() throws(CommandFailure) -> [UInt8] {
    if !isStandardInput, FileKind(of: file) == .missing {
      throw CommandFailure(.missingSource, "\(file): there is no such file; check the name.")
    }
    if FileKind(of: file) == .directory {
      throw CommandFailure(.unreadable, "\(file): this is a directory; give a file that holds the whole database.")
    }
    guard let bytes = isStandardInput ? FileText.contents(from: 0) : FileText.contents(of: file) else {
      throw CommandFailure(.unreadable, "\(file): the file cannot be read; check its permissions.")
    }
    return bytes
  }
}

/// Checks a file without serving it.
struct ValidateCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Say what about a file would be refused, or would surprise.",
    discussion: """
      Each finding names the file, the line and the column, and shows the place; of a JSON5 file it names the file alone.

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

  func perform() async throws(CommandFailure) -> Int32 {
    let text = try plainJSON(try options.contents())
    let findings = Validator(schema: try options.schema).findings(in: UTF8Slice(text))
    for finding in findings {
      print(line(finding))
      if !isJSON5 { print(Excerpt(of: text, at: finding.offset).text) }
    }
    let errors = findings.count { strict || $0.severity == .error }
    if findings.isEmpty { print("\(LogText.escaped(file)): nothing to report") }
    return errors == 0 ? 0 : ExitStatus.invalidSource.rawValue
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

/// Prints code or a document made from the data of a file.
struct GenerateCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print Swift models with a client, or an OpenAPI document, made from a file.",
    discussion: """
      The output goes to standard output: swift-json-server generate swift database.json > Models.swift

      Exit codes:
      \(exitCodes)
      """)

  private static let exitCodes = ExitStatus.table(
    "all is printed",
    [
      (.invalidSource, "the file is no JSON, or would be refused"), (.missingSource, "the file does not exist"),
      (.unreadable, "the file cannot be read"),
    ])

  enum Product: String, ExpressibleByArgument, CaseIterable {
    case swift
    case openapi
  }

  @Argument(help: "What to print: swift or openapi.")
  var product: Product

  @Option(help: "Who sees the Swift declarations: internal, package or public; internal without it.")
  var access: DataDescription.Access?

  @OptionGroup var options: DataFileOptions

  func validate() throws {
    guard access == nil || product == .swift else {
      throw ValidationError("--access is for Swift; an OpenAPI document has no such thing.")
    }
  }

  func perform() async throws(CommandFailure) -> Int32 {
    let (bytes, schema) = (try options.contents(), try options.schema)
    let description = try CommandFailure.translating { () throws(ServerError) in
      try DataDescription(parsing: bytes, name: options.name, schema: schema)
    }
    switch product {
    case .swift: print(description.swiftSource(access: access ?? .internal), terminator: "")
    case .openapi: print(description.openAPIText)
    }
    return 0
  }
}

extension DataDescription.Access: ExpressibleByArgument {}

/// Writes a file to start from.
struct InitCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a file to start from; never over another one.")

  @Argument(help: "The file.", completion: .file(extensions: ["json"]))
  var file = "database.json"

  func perform() async throws(CommandFailure) -> Int32 {
    guard FileKind(of: file) == .missing else {
      throw CommandFailure(.cannotCreate, "\(file): there is such a file already; it is left as it is.")
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
