import Dispatch
import JSONDatabase
import JSONStorage
import OrderedJSON

#if PostgreSQL
  import PostgreSQLStorage

  /// Keeps a database in PostgreSQL, which other servers write, too.
  final class PostgreSQLPersistence: SharedPersistence {
    let database: SharedDatabase
    private let schema: Schema
    private let address: DatabaseAddress

    private init(_ database: SharedDatabase, schema: Schema, address: DatabaseAddress) {
      self.database = database
      self.schema = schema
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
        let (loaded, isSeeded) = try SharedDatabase.prepare(address) {
          try source.readSeed(parser).map { StoredDatabase($0) }
        }
        let database = try loaded.database(schema: parser.schema, at: address)
        var warnings: [String] = []
        if source.seed != nil, !isSeeded {
          warnings.append("\(address.description) holds data already; the seed is not used.")
        }
        if database.resourceNames.isEmpty {
          warnings.append("\(address.description) holds no data; give some with --seed, or 'swift-json-server import'.")
        }
        guard isWritten else { return OpenedSource(persistence: nil, database: database, warnings: warnings) }
        let schema = parser.schema
        let shared = try SharedDatabase(address, loaded: loaded) { writes in
          do throws(ServerError) {
            onEdit(.changed(try LoadedSource(writes, schema: schema, at: address)))
            return nil
          } catch {
            return DatabaseFailure(.tables, error.message)
          }
        } onFailure: { failure in
          onWarning(
            failure.map { "\($0.message) Until that is mended, requests are refused with 503." }
              ?? "\(address.description) is reached again.")
        }
        return OpenedSource(
          persistence: PostgreSQLPersistence(shared, schema: schema, address: address), database: database,
          warnings: warnings, shared: SharedState(loaded.simulation))
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

    func commit(_ version: Database, after base: Database, completion: @escaping @Sendable (Commit) -> Void) {
      let commit: StoredCommit =
        if let rows = version.placedRows(since: base) {
          .rows(rows.map(StoredRow.init))
        } else {
          .whole { StoredDatabase(version) }
        }
      database.commit(commit) { [self] result in
        switch result {
        case .done: completion(.done)
        case .overtaken(let writes):
          switch loaded(writes) {
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
      database.takeTurn(mark: mark) { [self] number, result in
        let source = result.mapError(StorageError.init).flatMap(loaded)
        if case .failure = source { database.releaseTurn() }
        completion(number, source)
      }
    }

    private func loaded(_ writes: ForeignWrites) -> Result<LoadedSource, StorageError> {
      do throws(ServerError) {
        return .success(try LoadedSource(writes, schema: schema, at: address))
      } catch {
        return .failure(StorageError(.unavailable, error.message))
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
  }
#endif
