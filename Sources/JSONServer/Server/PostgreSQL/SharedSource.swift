import Dispatch
import JSONDatabase
import JSONServerValues
import JSONStorage

#if PostgreSQL
  import PostgreSQLStorage
#endif

/// The database of a server's configuration, which several servers share.
struct SharedSource {
  let url: String
  /// A file for filling an empty database.
  let seed: String?

  init(url: String, seed: String? = nil) {
    self.url = url
    self.seed = seed
  }

  /// The address for people, without passwords.
  var description: String { SecretText.source(url) }

  /// Opens the database. Blocks until it is read.
  ///
  /// - Throws: ``ServerError`` that names the address or the file, or says how to get PostgreSQL.
  func open(
    _ configuration: Server.Configuration, _ parser: SourceParser, onEdit: @escaping @Sendable (SourceEdit) -> Void
  ) throws(ServerError) -> OpenedSource {
    #if PostgreSQL
      do {
        return try SharedDatabase.open(
          try DatabaseAddress(url, shownAs: description), parser.schema,
          isWritten: configuration.durability != .ephemeral, hasSeed: seed != nil, seed: { try readSeed(parser) },
          onEdit: onEdit, onWarning: { [onEvent = configuration.onEvent] in onEvent(.warning($0)) })
      } catch let error as StorageError {
        throw ServerError(error)
      } catch let error as ServerError {
        throw error
      } catch {
        throw ServerError(.sourceUnreadable, "\(error)")
      }
    #else
      throw ServerError.withoutPostgreSQL(self)
    #endif
  }

  /// Reads the seed; returns `nil` for none.
  ///
  /// - Throws: ``ServerError`` that names the file, with the line and column of an error.
  func readSeed(_ parser: SourceParser) throws(ServerError) -> Database? {
    guard let path = seed else { return nil }
    guard let text = OpenFile.contents(of: path) else {
      throw ServerError(.sourceMissing, "\(path): there is no such file; check the seed.")
    }
    return try parser.database(UTF8Slice(text), name: path)
  }

  #if PostgreSQL
    /// Does work with the database on a thread that may block.
    func access<Success: Sendable>(
      _ work: @escaping @Sendable (DatabaseAddress) throws(StorageError) -> Success
    ) async throws(ServerError) -> Success {
      let result = await withCheckedContinuation { continuation in
        DispatchQueue(label: "swift-json-server.postgresql").async {
          continuation.resume(
            returning: Result { () throws(StorageError) in try work(try DatabaseAddress(url, shownAs: description)) })
        }
      }
      return try result.mapError(ServerError.init).get()
    }
  #endif
}

extension ServerError {
  /// The error of a build without PostgreSQL.
  static func withoutPostgreSQL(_ source: SharedSource) -> ServerError {
    ServerError(
      .invalidConfiguration,
      "\(source.description): this program was built without PostgreSQL; build it with the trait: swift build --traits default,PostgreSQL"
    )
  }
}
