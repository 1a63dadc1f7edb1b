import ArgumentParser
import JSONDatabase
import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers

/// Makes a data file from the resources of another server, or from the responses that a browser has saved.
struct RecordCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Make a data file from another server, or from a browser's traffic.",
    discussion: """
      Each address becomes a resource, with the last segment of the path as its name: \
      swift-json-server record https://api.example.com/posts -o database.json

      The command follows the rel="next" of Link fields on the same server. An object becomes a single resource. Requests \
      go through curl.

      --from reads an HTTP archive instead, which a browser's network panel saves (HAR): \
      swift-json-server record --from traffic.har -o database.json. \
      The lists, records and objects of its successful GETs become resources; with addresses, only those of these servers. \
      Serve the other responses with --stubs traffic.har.
      """,
    success: "the file is written",
    exitCodes: [
      (.usage, "an address or a header field is invalid"),
      (.invalidSource, "a response of a server or of an archive cannot be served"),
      (.missingSource, "the archive does not exist"), (.cannotCreate, "the file exists, or cannot be created"),
      (.unreadable, "a server does not respond, or the archive cannot be read"),
    ])

  @Argument(help: "The addresses of lists, such as https://api.example.com/posts.")
  var url: [String] = []

  @Option(
    help: ArgumentHelp("Read this HTTP archive (HAR) instead of a server.", valueName: "file"),
    completion: .file(extensions: ["har"]))
  var from: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var output = "database.json"

  @OptionGroup var headers: HeaderOptions

  @Flag(help: "Replace an existing file.")
  var force = false

  /// The largest page, in bytes.
  private static let maximumBytes = 256 * 1024 * 1024

  func validate() throws {
    if from == nil, url.isEmpty {
      throw ValidationError("Missing expected argument '<url> ...', or --from traffic.har")
    }
    if output == "-" { throw ValidationError("--output: name a file; the data cannot go to standard output.") }
    if from != nil, !headers.header.isEmpty { throw ValidationError("--header is for a server; --from reads a file.") }
  }

  func perform() async throws -> Int32 {
    let signals = Signals()
    defer { withExtendedLifetime(signals) {} }
    if let from {
      let archive = try archived(in: from)
      try write(archive.contents)
      if let base = archive.bases.first, !base.isEmpty, archive.bases.count == 1 {
        try FileText.print(
          LogText.escaped("Its addresses begin with \(base): --routes takes a file with {\"\(base)/*\": \"/$1\"}."))
      }
      // Standard input cannot be read again.
      let stubs = from == "-" ? "" : " --stubs \(LogText.escaped(from))"
      try FileText.print("Serve it with: swift-json-server --watch \(LogText.escaped(output))\(stubs)")
      return 0
    }
    let downloads = try downloads
    try checkOutput()
    let text = NIOLockedValueBox("")
    let progress = ProgressLine { text.withLockedValue { $0 } }
    defer { progress.end() }
    var contents: [(name: String, content: ResourceDownload.Content)] = []
    for download in downloads {
      let content = try await download.run { progress in text.withLockedValue { $0 = progress } }
      contents.append((download.name, content))
    }
    progress.end()
    try write(contents)
    try FileText.print("Serve it with: swift-json-server --watch \(LogText.escaped(output))")
    return 0
  }

  /// The resources of an archive.
  private func archived(in path: String) throws -> ArchivedResources {
    let file = try HARFile(parsing: FileArgument.contents(of: path), name: path)
    let addresses = try url.map { url in
      try CommandFailure.translating { () throws(ServerError) in try UpstreamAddress(url) }
    }
    let resources = ArchivedResources(file.exchanges, within: addresses)
    guard !resources.contents.isEmpty else {
      let place = url.isEmpty ? "" : " of \(url.map(SecretText.target).joined(separator: " or "))"
      throw CommandFailure(
        .invalidSource,
        "\(path): no GET\(place) has a list or an object of JSON as its response; save the archive with its contents.")
    }
    return resources
  }

  /// Writes the data file, and prints its contents and warnings.
  private func write(_ contents: [(name: String, content: ResourceDownload.Content)]) throws(CommandFailure) {
    try checkOutput()
    let (text, warnings) = try Self.database(contents)
    try FileText.save(text, to: output, isNew: !force)
    let file = LogText.escaped(output)
    try FileText.print("\(file) has \(contents.map(Self.summary).joined(separator: ", ")).")
    for warning in warnings {
      try FileText.print(LogText.escaped("\(output):\(warning.line):\(warning.column): warning: \(warning.message)"))
    }
    for (name, content) in contents {
      guard let list = content.onlyList else { continue }
      try FileText.print(
        LogText.escaped(
          """
          '\(name)' is served as one object, and its records in '\(list)' have no addresses; to have them as a list, take \
          them out: jq '{"\(name)": .["\(name)"]["\(list)"]}' \(output)
          """))
    }
  }

  /// - Throws: ``CommandFailure``, when the file exists and may not be replaced, or is not a regular file.
  private func checkOutput() throws(CommandFailure) {
    switch FileKind(of: output) {
    case .missing:
      let directory = output.lastIndex(of: "/").map { String(output[...$0]) } ?? "."
      guard FileKind(of: directory) != .directory else { return }
      throw CommandFailure(.cannotCreate, "\(output): there is no directory \(directory); create it first.")
    case .file, .executable:
      if force { return }
      throw CommandFailure(.cannotCreate, "\(output): the file exists already; --force replaces it.")
    case .directory, .other: throw CommandFailure(.cannotCreate, "\(output): it is not a file; name another one.")
    }
  }

  private var downloads: [ResourceDownload] {
    get throws(CommandFailure) {
      let fields = try headers.fields
      let curl = Curl(maximumBytes: Self.maximumBytes, limitName: "ask for smaller pages")
      var downloads: [ResourceDownload] = []
      for argument in url {
        let download = try ResourceDownload(argument, fields: fields, curl: curl)
        if let other = downloads.first(where: { $0.name == download.name }) {
          throw CommandFailure(
            .usage,
            "\(SecretText.target(other.argument)) and \(SecretText.target(argument)) would both be '\(download.name)'; record them into two files."
          )
        }
        downloads.append(download)
      }
      return downloads
    }
  }

  // MARK: The database

  /// Returns the file's text, and warnings. Numbers, escapes and the order of members stay as they are.
  ///
  /// - Throws: ``CommandFailure`` for data that no server would serve.
  private static func database(
    _ contents: [(name: String, content: ResourceDownload.Content)]
  ) throws(CommandFailure) -> ([UInt8], warnings: [Finding]) {
    var compact: [UInt8] = []
    JSONText.appendList(contents, "{", "}", to: &compact) { resource, text in
      JSONText.appendEscaped(resource.name, to: &text)
      text.append(UInt8(ascii: ":"))
      switch resource.content {
      case .object(let object): object.withToken { text += $0.bytes }
      case .records(let records): JSONText.appendArray(records, to: &text)
      }
    }
    var text: [UInt8] = []
    do throws(JSONError) {
      JSONFormatter(.pretty).append(try ValidJSON(parsing: compact), to: &text)
    } catch {
      throw CommandFailure(.invalidSource, "The recorded data cannot be written to a file: \(error)")
    }
    text.append(UInt8(ascii: "\n"))
    let findings = Validator().findings(in: UTF8Slice(text))
    if let finding = findings.first(where: { $0.severity == .error }) {
      throw CommandFailure(
        .invalidSource, "The recorded data cannot be served: \(LogText.escaped(finding.message)).",
        excerpt: Excerpt(of: text, at: finding.offset).text)
    }
    return (text, findings)
  }

  private static func summary(_ resource: (name: String, content: ResourceDownload.Content)) -> String {
    let name = LogText.escaped(resource.name)
    return switch resource.content {
    case .object: "the object \(name)"
    case .records(let records): "\(records.count) \(name)"
    }
  }
}
