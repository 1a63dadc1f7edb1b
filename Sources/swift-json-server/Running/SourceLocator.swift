import JSONDatabase
import JSONServer
import JSONStorage

/// Resolves a source argument, and reads a source that is not a file.
struct SourceLocator {
  /// What to do when a JSON file is missing.
  enum Missing {
    /// Create it with sample data.
    case isCreated
    /// Keep the sample data in memory.
    case isSample
    /// Report an error, as json-server 1.0 does.
    case fails
  }

  let argument: String
  let seed: String?
  let missing: Missing

  /// Returns the source, when a program or a download has ended. Blocks until a pipe ends.
  ///
  /// - Parameter notify: Called with each message for the user.
  func locate(notify: (String) -> Void) async throws(CommandFailure) -> Source {
    if Self.isDatabase(argument) { return .postgreSQL(url: argument, seed: seed) }
    guard seed == nil else {
      throw CommandFailure(
        .usage, "--seed: it fills an empty database, such as postgres://localhost/fixtures; leave it out.")
    }
    if argument == "-" { return .text(try FileArgument.contents(of: "-"), name: "standard input") }
    if argument.hasPrefix("http://") || argument.hasPrefix("https://") { return try await download() }
    switch FileKind(of: argument) {
    case .directory: return .directory(argument)
    case .missing: return try created(notify)
    // A pipe, such as that of `<(…)`, is read to its end.
    case .other: return .text(try FileArgument.contents(of: argument), name: argument)
    case .file, .executable:
      if Self.scriptSuffixes.contains(where: argument.hasSuffix) { return try await script(notify) }
      // On some mounts every file is executable.
      let isProgram = FileKind(of: argument) == .executable && DirectoryListing.stem(of: argument) == nil
      return isProgram ? try await program(notify) : .file(argument)
    }
  }

  /// Whether an argument is the address of a database.
  static func isDatabase(_ argument: String) -> Bool {
    ["postgres://", "postgresql://"].contains(where: argument.hasPrefix)
  }

  // MARK: Files

  private func created(_ notify: (String) -> Void) throws(CommandFailure) -> Source {
    guard argument.hasSuffix(".json"), missing != .fails else {
      throw CommandFailure(
        .missingSource,
        "\(SecretText.source(argument)): there is no such file; check the name, or create a file with 'swift-json-server init'."
      )
    }
    guard missing == .isCreated else {
      notify("\(LogText.escaped(argument)) does not exist; the server serves sample data from memory.")
      return .text(Array(Sample.text.utf8), name: argument)
    }
    do throws(CommandFailure) {
      try FileText.save(Array(Sample.text.utf8), to: argument, isNew: true)
    } catch {
      throw CommandFailure(
        .missingSource, "\(argument): there is no such file, and it cannot be created. \(error.message)")
    }
    notify("\(LogText.escaped(argument)) does not exist; the server creates it with sample data.")
    return .file(argument)
  }

  /// Returns the argument, or the file with a similar name that the user at the terminal confirms.
  ///
  /// - Throws: ``CommandFailure`` that names the similar file, when nobody confirms it.
  static func confirmed(_ argument: String) throws(CommandFailure) -> String {
    guard argument != "-", !argument.contains("://"), FileKind(of: argument) == .missing,
      let meant = nearestFile(to: argument)
    else { return argument }
    let (name, shown) = (LogText.escaped(argument), LogText.escaped(meant))
    if Terminal.confirms("\(name) does not exist. Serve \(shown) instead?") { return meant }
    throw CommandFailure(
      .missingSource,
      "\(name): there is no such file. Did you mean '\(shown)'? To make a new file, run 'swift-json-server init \(name)'."
    )
  }

  /// The file with a name that is nearly the argument. Names that differ in digits, such as `v1.json` and `v2.json`,
  /// are those of different files.
  private static func nearestFile(to argument: String) -> String? {
    let start = argument.lastIndex(of: "/").map { argument.index(after: $0) } ?? argument.startIndex
    let (directory, name) = (String(argument[..<start]), String(argument[start...]))
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
    let files = Dictionary(
      names.sorted().compactMap { file in DirectoryListing.stem(of: file).map { ($0, file) } }
    ) { first, _ in first }
    let wanted = DirectoryListing.stem(of: name) ?? name
    let stems = files.keys.filter { $0.filter(\.isNumber) == wanted.filter(\.isNumber) }.sorted()
    let nearest = files[wanted] ?? Spelling.nearest(to: wanted, among: stems).flatMap { files[$0] }
    return nearest.map { directory + $0 }
  }

  // MARK: Programs

  private static let scriptSuffixes = [".js", ".cjs", ".mjs"]

  /// Prints the result of the module's function; its log goes to standard error.
  private static let runner = """
    console.log = console.error;
    import(require("url").pathToFileURL(require("path").resolve(process.argv[1])))
      .then(module => {
        if (typeof module.default !== "function") throw new Error("the export is not a function");
        return module.default();
      })
      .then(data => process.stdout.write(JSON.stringify(data)))
      .catch(error => { console.error(`${process.argv[1]}: ${error.message}`); process.exitCode = 1; });
    """

  private func script(_ notify: (String) -> Void) async throws(CommandFailure) -> Source {
    notify("\(LogText.escaped(argument)) is a program: 'node' runs it now, and the server serves what it exports.")
    let program = Program(arguments: ["node", "-e", Self.runner, argument])
    guard let output = await program.run(), output.status != 127 else {
      throw CommandFailure(
        .unreadable,
        "\(argument): a JavaScript source needs node to run it, which is not in PATH; install it, or run the file elsewhere and write the data to a .json file."
      )
    }
    return try source(output, of: "node")
  }

  private func program(_ notify: (String) -> Void) async throws(CommandFailure) -> Source {
    let path = argument.contains("/") ? argument : "./\(argument)"
    notify("\(LogText.escaped(argument)) is a program: the server runs it now, and serves what it prints.")
    guard let output = await Program(arguments: [path]).run() else {
      throw CommandFailure(.unreadable, "\(argument): the program cannot be run; check its first line and permissions.")
    }
    return try source(output, of: "the program")
  }

  private func source(_ output: Program.Output, of program: String) throws(CommandFailure) -> Source {
    guard output.status == 0 else {
      throw CommandFailure(.unreadable, "\(argument): \(program) failed with exit code \(output.status).")
    }
    return .text(output.bytes, name: argument)
  }

  // MARK: Downloads

  /// Downloads with curl, so that the executable needs no TLS library. The machine's proxies and certificates apply.
  private func download() async throws(CommandFailure) -> Source {
    let name = SecretText.source(argument)
    let options = [
      "silent", "show-error", "location", "globoff", Curl.option("proto", "=http,https"), Curl.option("max-time", "60"),
      Curl.option("header", "Accept: application/json"), Curl.option("write-out", "\n%{http_code}"),
      Curl.option("url", argument),
    ]
    guard let output = await Curl.run(options) else {
      throw CommandFailure(
        .unreadable,
        "\(name): a download needs curl, which is not in PATH; install it, or download the file yourself.")
    }
    guard output.status == 0, let end = output.bytes.lastIndex(of: UInt8(ascii: "\n")) else {
      throw CommandFailure(.unreadable, "\(name): the download failed; check the address and the network.")
    }
    let status = String(decoding: output.bytes[(end + 1)...], as: UTF8.self)
    guard status.hasPrefix("2") else {
      throw CommandFailure(.unreadable, "\(name): the download responded with status \(status); check the address.")
    }
    return .text(Array(output.bytes[..<end]), name: name)
  }
}
