package import JSONDatabase
import JSONServerValues
import JSONStorage

extension Server.Configuration {
  /// The names of ids and foreign keys.
  package var schema: Schema {
    var schema = Schema()
    schema.idName = idName
    schema.idNames = idNames
    schema.foreignKeySuffix = foreignKeySuffix
    schema.idLists = idLists
    schema.upserts = Set(upserts)
    // An invalid configuration was refused at the start.
    schema.checks = (try? bodyChecks()) ?? Checks()
    if !fills.isEmpty {
      let ids = IDGenerator.urlSafe(length: 7, random: random)
      schema.filler = Filler(fills, ids: ids) { Timestamp.now.milliseconds }
    }
    schema.dialect =
      switch dialect {
      case .classic: .classic
      case .v1: .v1
      }
    schema.cursorPages = cursorPages.map { ($0.cursor, $0.limit, $0.size) }
    schema.maximumAddressBytes = limits.maximumTargetBytes - mountPath.utf8.count
    schema.maximumPatchGrowth = limits.maximumBodyBytes
    schema.maximumDepth = maximumDepth
    return schema
  }

  /// The path prefix as it is sent: empty, or with a slash before each segment and none at the end.
  package var mountPath: String { mountSegments.map { "/" + PercentEncoding.encodeSegment($0) }.joined() }

  /// The decoded segments of the path prefix.
  var mountSegments: [String] {
    pathPrefix.split(separator: "/").map { PercentEncoding.decode($0.utf8, plusIsSpace: false) ?? String($0) }
  }

  /// The addresses to listen on: both loopback addresses, unless hosts are set.
  var addresses: [BindAddress] {
    (hosts.isEmpty ? ["localhost"] : hosts).flatMap { host in
      host == "localhost" ? BindAddress.loopback(port: port) : [BindAddress(host: host, port: port)]
    }
  }

  /// The certificate and the key, read from their files; `nil` for plain HTTP.
  func security() throws(ServerError) -> TransportSecurity? {
    guard let tlsIdentity else { return nil }
    return try TransportSecurity(tlsIdentity) { [onEvent] in onEvent(.warning($0)) }
  }

  /// Opens the source and reads it, on a thread that may block.
  ///
  /// - Parameter loop: The event loop that gets the source.
  func open(
    _ parser: SourceParser, on loop: EventLoopExecutor, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) async throws(ServerError) -> OpenedSource {
    try await loop.blocking { Result { () throws(ServerError) in try openBlocking(parser, onEdit: onEdit) } }.get()
  }

  private func openBlocking(
    _ parser: SourceParser, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(ServerError) -> OpenedSource {
    switch source {
    case .file(let path):
      guard let name = Self.arrayName(inFile: path) else {
        return try openedFiles(path, .whole, parser, onEdit) { text, _, path in
          .whole(try parser.parseSource(text, name: path))
        }
      }
      onEvent(.warning("\(path) holds an array, which is served as /\(name)."))
      return try openedFiles(path, .resource(name), parser, onEdit) {
        .part(try parser.array($0, resource: $1, path: $2))
      }
    case .directory(let path):
      return try openedFiles(path, .directory, parser, onEdit) {
        .part(try parser.part($0, resource: $1, path: $2))
      }
    case .value(let value):
      do throws(SourceFault) {
        return OpenedSource(store: nil, database: try parser.parse(UTF8Slice(value.utf8Text()), name: ""), warnings: [])
      } catch {
        throw ServerError(.sourceInvalid, "The data cannot be served: \(error.message).")
      }
    case .text(let bytes, let name):
      return OpenedSource(store: nil, database: try parser.database(UTF8Slice(bytes), name: name), warnings: [])
    case .postgreSQL(let url, let seed):
      return try SharedSource(url: url, seed: seed).open(self, parser, onEdit: onEdit)
    }
  }

  private func openedFiles(
    _ path: String, _ form: DatabaseFiles.Form, _ parser: SourceParser,
    _ onEdit: @escaping @Sendable (SourceEdit) -> Void,
    parse: @escaping DatabaseFiles.Parse
  ) throws(ServerError) -> OpenedSource {
    do throws(StorageError) {
      return try DatabaseFiles.open(
        path, form, options: storeOptions, schema: parser.schema, ids: parser.ids, parse: parse,
        onEdit: onEdit)
    } catch {
      throw ServerError(error)
    }
  }

  /// The collection that a file holds whose text is an array; `nil` for any other file.
  private static func arrayName(inFile path: String) -> String? {
    guard let file = OpenFile(path: path), file.isRegular else { return nil }
    let beginning = file.read(from: 0, count: min(file.size, 4096))
    return beginning.withUnsafeBufferPointer { Source.arrayName(of: $0, in: path) }
  }

  /// The directory of the files that are bodies of responses: that of the stubs file.
  var bodyFiles: BodyFiles {
    BodyFiles(
      directory: stubsFile.map { $0.contains("/") ? String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) : "." }
        .map { $0.isEmpty ? "/" : $0 },
      privateFiles: allPrivateFiles)
  }

  /// The paths of the body files that the stubs file names in its current form; empty while it is invalid.
  package var bodyFilePaths: [String] {
    guard let stubsFile else { return [] }
    return (try? StubsFile(path: stubsFile, files: bodyFiles))?.bodyFiles ?? []
  }

  /// Reads the stubs of a server.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file with line and column, or the error
  ///   of a stub of the configuration.
  func openStubs() throws(ServerError) -> RuleTable {
    let file: StubsFile? =
      if let stubsFile { try StubsFile(path: stubsFile, files: bodyFiles, ignoring: ignoresStub) } else { nil }
    var table = RuleTable()
    do throws(RequestError) {
      for stub in stubs { table.add(try Rule(stub), from: .start) }
    } catch {
      throw ServerError(.invalidConfiguration, "A stub of the configuration cannot be used: \(error.message)")
    }
    if let file { table.replaceFile(with: file.stubs) }
    return table
  }

  /// The title of the data in descriptions.
  var title: String {
    switch source {
    case .file(let path), .directory(let path), .text(_, name: let path):
      path.split(separator: "/").last.map(String.init) ?? path
    case .value: "database"
    case .postgreSQL(let url, _): String(url.prefix { $0 != "?" }.split(separator: "/").dropFirst(2).last ?? "database")
    }
  }

  /// The message with a shorter name of the source's file, such as a relative path: clients must not see a machine's
  /// directories.
  func naming(_ message: String) -> String {
    switch source {
    case .file(let path), .directory(let path):
      path.hasPrefix("/") ? message.replacing(path, with: Self.shortName(of: path)) : message
    case .text, .value, .postgreSQL: message
    }
  }

  private static func shortName(of path: String) -> String {
    let directory = FileManager.default.currentDirectoryPath
    if !directory.isEmpty, path.hasPrefix(directory + "/") { return String(path.dropFirst(directory.count + 1)) }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The files that static files and the bodies of stubs never show: all files of the configuration.
  var allPrivateFiles: [PrivateFile] {
    let data: [PrivateFile] =
      switch source {
      case .file(let path): [.file(path)]
      case .directory(let path): [.files(in: path, suffixes: DirectoryListing.suffixes)]
      case .value, .text: []
      case .postgreSQL(_, let seed): seed.map { [.file($0)] } ?? []
      }
    let others = [stubsFile, tlsIdentity?.certificatePath, tlsIdentity?.keyPath]
    return data + others.compactMap { $0.map(PrivateFile.file) } + privateFiles
  }

  private var storeOptions: FileStoreOptions {
    FileStoreOptions(synchronization: durability, watching: watching)
  }
}
