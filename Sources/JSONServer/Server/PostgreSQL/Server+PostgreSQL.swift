import Dispatch
import JSONDatabase
import JSONServerValues
import JSONStorage

#if PostgreSQL
  import PostgreSQLStorage
#endif

extension Server {
  /// Reads everything that a database of PostgreSQL holds.
  ///
  /// - Parameter url: The address, as ``Source/postgreSQL(url:seed:)`` has it.
  /// - Returns: The text that a file of the data would hold: that of the file that was imported, but for what was written
  ///   since.
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

  /// Fills a database of PostgreSQL. Servers that serve it show the data at once.
  ///
  /// - Parameters:
  ///   - text: The text of a file.
  ///   - name: What messages call it; `.json5` at its end has it read as that.
  ///   - url: The address, as ``Source/postgreSQL(url:seed:)`` has it.
  ///   - replacing: Whether data that is there is replaced.
  /// - Throws: ``ServerError`` that names the address or the place of a fault; nothing is changed then. With code
  ///   `notSaved` when there is data that is not to be replaced.
  public static func importDatabase(
    _ text: [UInt8], name: String, to url: String, replacing: Bool = false
  ) async throws(ServerError) {
    let source = SharedSource(url: url)
    #if PostgreSQL
      let isWritten = try await blocking { () throws(ServerError) in
        let database: Database
        do throws(SourceFault) {
          database = try SourceParser(schema: Schema(), ids: IDGenerator { "" }).parseSource(
            UTF8Slice(text), name: name)
        } catch {
          throw ServerError(.sourceInvalid, error.description, excerpt: error.excerpt)
        }
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
