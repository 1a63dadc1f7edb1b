import Dispatch
import JSONDatabase
import JSONServerValues
import JSONStorage

#if PostgreSQL
  import PostgreSQLStorage
#endif

extension Server {
  /// Reads all data of a PostgreSQL database.
  ///
  /// - Parameter url: The address, in the form of ``Source/postgreSQL(url:seed:)``.
  /// - Returns: The text of a file with the data: the imported file with all later changes.
  /// - Throws: ``ServerError`` that names the address.
  public static func exportDatabase(_ url: String) async throws(ServerError) -> [UInt8] {
    let source = SharedSource(url: url)
    #if PostgreSQL
      return try await blocking { () throws(ServerError) in
        do throws(StorageError) {
          let address = try DatabaseAddress(url, shownAs: source.description)
          return try SharedDatabase.load(address, Schema()).text.bytes
        } catch {
          throw ServerError(error)
        }
      }
    #else
      throw ServerError.withoutPostgreSQL(source)
    #endif
  }

  /// Fills a PostgreSQL database. Running servers of the database show the data immediately.
  ///
  /// - Parameters:
  ///   - text: The text of a file.
  ///   - name: The name for messages; a name with `.json5` at its end means JSON5.
  ///   - url: The address, in the form of ``Source/postgreSQL(url:seed:)``.
  ///   - replacing: Whether to replace existing data.
  /// - Throws: ``ServerError`` that names the address or the place of an error; nothing is changed then. With code
  ///   `notSaved` when there is data that must not be replaced.
  public static func importDatabase(
    _ text: [UInt8], name: String, to url: String, replacing: Bool = false
  ) async throws(ServerError) {
    let source = SharedSource(url: url)
    #if PostgreSQL
      let isWritten = try await blocking { () throws(ServerError) in
        let parser = SourceParser(schema: Schema(), ids: IDGenerator { "" })
        let database = try parser.database(UTF8Slice(text), name: name)
        do throws(StorageError) {
          let address = try DatabaseAddress(url, shownAs: source.description)
          return try SharedDatabase.fill(address, with: database, replacing: replacing)
        } catch {
          throw ServerError(error)
        }
      }
      guard isWritten else {
        throw ServerError(
          .notSaved, "\(source.description) holds data already; replace it with Server.importDatabase(replacing: true)."
        )
      }
    #else
      throw ServerError.withoutPostgreSQL(source)
    #endif
  }

  #if PostgreSQL
    private static func blocking<Success: Sendable>(
      _ body: @escaping @Sendable () throws(ServerError) -> Success
    ) async throws(ServerError) -> Success {
      try await withCheckedContinuation { continuation in
        DispatchQueue(label: "swift-json-server.postgresql").async {
          continuation.resume(returning: Result { () throws(ServerError) in try body() })
        }
      }.get()
    }
  #endif
}
