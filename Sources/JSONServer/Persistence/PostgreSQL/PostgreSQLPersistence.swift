import Dispatch
import JSONDatabase
import JSONServerValues
import JSONStorage

#if PostgreSQL
  import PostgreSQLStorage

  /// Keeps a database in PostgreSQL, which other servers write, too.
  final class PostgreSQLPersistence: SharedPersistence {
    private let database: SharedDatabase
    private let address: DatabaseAddress

    private init(_ database: SharedDatabase, address: DatabaseAddress) {
      self.database = database
      self.address = address
    }

    /// Opens a database, makes its tables where there are none, and reads everything. Blocks until that is done.
    ///
    /// - Parameters:
    ///   - isWritten: Whether changes go back there.
    ///   - onWarning: Called when the database cannot be reached any more, and when it is again.
    /// - Throws: ``ServerError`` that names the address, and says what to do.
    static func open(
      _ source: SharedSource, isWritten: Bool, parser: SourceParser,
      onEdit: @escaping @Sendable (SourceEdit) -> Void, onWarning: @escaping @Sendable (String) -> Void
    ) throws(ServerError) -> OpenedSource {
      do {
        let address = try DatabaseAddress(source.url, shownAs: source.description)
        let (loaded, isSeeded) = try SharedDatabase.prepare(address, parser.schema) { try source.readSeed(parser) }
        let database = try loaded.database.get()
        var warnings: [String] = []
        if source.seed != nil, !isSeeded {
          warnings.append("\(address.description) holds data already; the seed is not used.")
        }
        if database.resourceNames.isEmpty {
          warnings.append("\(address.description) holds no data; give some with --seed, or 'swift-json-server import'.")
        }
        guard isWritten else { return OpenedSource(persistence: nil, database: database, warnings: warnings) }
        let shared = try SharedDatabase(address, parser.schema, loaded: loaded) { writes in
          if case .success(let source) = LoadedSource.reading(writes) { onEdit(.changed(source)) }
        } onFailure: { failure in
          onWarning(
            failure.map { "\($0.message) Until that is mended, requests are refused with 503." }
              ?? "\(address.description) is reached again.")
        }
        return OpenedSource(
          persistence: PostgreSQLPersistence(shared, address: address), database: database, warnings: warnings,
          state: loaded.state)
      } catch let error as DatabaseFailure {
        throw ServerError(error)
      } catch let error as ServerError {
        throw error
      } catch {
        throw ServerError(.sourceUnreadable, "\(error)")
      }
    }

    var version: Int { database.version }

    var behind: Int { max(0, database.newestVersion - database.version) }

    var failure: StorageError? { database.failure.map(StorageError.init) }

    /// Shorter ones are those of large writes.
    private static let longestStall = Duration.seconds(10)

    var stall: String? {
      guard let stall = database.stall, .now - stall > Self.longestStall else { return nil }
      return
        "\(address.description): nobody can write, since one transaction keeps all others from it; find it in pg_stat_activity, and end it."
    }

    func commit(
      _ version: Database, after base: Database, _ state: [ServerState.Row],
      completion: @escaping @Sendable (Commit) -> Void
    ) {
      database.commit(version, after: base, state) { [database] result in
        switch result {
        case .done: completion(.done)
        case .overtaken(let writes):
          switch LoadedSource.reading(writes) {
          case .success(let source): completion(.edited(source))
          case .failure(let error):
            database.releaseTurn()
            completion(.failed(error))
          }
        case .failed(let failure): completion(.failed(StorageError(failure)))
        case .unknown(let failure): completion(.failed(StorageError(.durabilityUnknown, failure.message)))
        }
      }
    }

    func takeTurn(
      mark: @escaping @Sendable () -> Int,
      completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void
    ) {
      database.takeTurn(mark: mark) { [database] number, result in
        let source = result.mapError(StorageError.init).flatMap(LoadedSource.reading)
        if case .failure = source { database.releaseTurn() }
        completion(number, source)
      }
    }

    func adopt(_ source: LoadedSource) { database.adopt(source.generation, commitID: source.commitID) }

    func releaseTurn() { database.releaseTurn() }

    func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
      database.check { completion($0.mapError(StorageError.init)) }
    }

    func saveHistory(
      of database: Database, part: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      completion(.failure(StorageError(.unavailable, "\(address.description): a database keeps no history of files.")))
    }

    func snapshot(
      _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      DispatchQueue(label: "swift-json-server.snapshot").async {
        completion(Result { () throws(StorageError) in try DatabaseFile.written(text).write(to: path) })
      }
    }

    func close() { database.close() }

    // MARK: Snapshots

    func snapshots(_ completion: @escaping @Sendable (Result<[Snapshots.Entry], StorageError>) -> Void) {
      database.snapshots { result in
        completion(
          result.map { $0.map { Snapshots.Entry(name: $0.name, time: Double($0.milliseconds) / 1000) } }
            .mapError(StorageError.init))
      }
    }

    func saveSnapshot(named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
      database.saveSnapshot(named: name) { completion($0.mapError(StorageError.init)) }
    }

    func restoreSnapshot(named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void) {
      database.restoreSnapshot(named: name) { completion($0.mapError(StorageError.init)) }
    }

    func removeSnapshot(_ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void) {
      database.removeSnapshot(name) { completion($0.mapError(StorageError.init)) }
    }
  }

  extension LoadedSource {
    /// What others have written, unless it cannot be served.
    fileprivate static func reading(_ writes: ForeignWrites) -> Result<LoadedSource, StorageError> {
      let content: Content
      switch writes.changes {
      case .rows(let rows): content = .rows(rows, since: writes.since)
      case .whole(let database): content = .whole(database)
      case .refused(let failure): return .failure(StorageError(failure))
      }
      return .success(
        LoadedSource(content, generation: writes.version, state: writes.state, commitID: writes.commitID))
    }
  }

  // MARK: Errors

  extension ServerError {
    init(_ failure: DatabaseFailure) {
      let code: Code =
        switch failure.code {
        case .address: .invalidConfiguration
        case .tables: .sourceInvalid
        case .unreachable, .rights, .conflict, .noSpace, .refused: .sourceUnreadable
        }
      self.init(code, failure.message)
    }
  }

  extension StorageError {
    fileprivate init(_ failure: DatabaseFailure) {
      let code: Code = failure.isUnsettled ? .durabilityUnknown : failure.code == .noSpace ? .noSpace : .unavailable
      self.init(code, failure.message)
    }
  }
#endif
