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
      return try await source.access { address throws(StorageError) in
        try SharedDatabase.load(address, Schema()).text.bytes
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
    // The output of a program that failed.
    guard text.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
      throw ServerError(.sourceInvalid, "\(name): the text is empty; import {} to remove all data.")
    }
    #if PostgreSQL
      let parser = SourceParser(schema: Schema(), ids: IDGenerator { "" })
      let database = try parser.database(UTF8Slice(text), name: name)
      let isWritten = try await source.access { address throws(StorageError) in
        try SharedDatabase.fill(address, with: database, replacing: replacing)
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
}
