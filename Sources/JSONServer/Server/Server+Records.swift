package import JSONDatabase
public import JSONServerValues

extension Server {
  /// The current data. O(size of the data).
  public var value: JSONValue {
    get async { await database.value }
  }

  /// The current version of the data.
  package var database: Database {
    get async { await engine.database }
  }

  /// Returns the records of a collection, in stored order.
  ///
  /// - Parameters:
  ///   - name: The collection's name.
  ///   - type: The type of a record.
  ///   - decoder: How to read names and dates.
  /// - Throws: ``ServerError`` with code `unknownRecord` when there is no such collection, or a `DecodingError`.
  public func records<Record: Decodable>(
    _ name: String, as type: Record.Type = Record.self, decoder: JSONDecoder = JSONDecoder()
  ) async throws -> [Record] {
    try JSONValue.array(try await values(of: name)).decode([Record].self, decoder: decoder)
  }

  /// Returns the records of a collection as JSON, in stored order.
  ///
  /// - Throws: ``ServerError`` with code `unknownRecord` when there is no such collection.
  public func values(of name: String) async throws(ServerError) -> [JSONValue] {
    try await read { database throws(DatabaseError) in
      try database.list(name, Query()).selection.records.map { JSONValue($0) }
    }
  }

  /// Returns a record of a collection.
  ///
  /// - Throws: ``ServerError`` with code `unknownRecord`, or a `DecodingError`.
  public func record<Record: Decodable>(
    _ name: String, id: String, as type: Record.Type = Record.self, decoder: JSONDecoder = JSONDecoder()
  ) async throws -> Record {
    try await value(of: name, id: id).decode(type, decoder: decoder)
  }

  /// Returns a record of a collection as JSON.
  package func value(of name: String, id: String) async throws(ServerError) -> JSONValue {
    JSONValue(try await read { database throws(DatabaseError) in try database.record(id, in: name) })
  }

  private func read<Success>(_ read: (Database) throws(DatabaseError) -> Success) async throws(ServerError) -> Success {
    do throws(DatabaseError) {
      return try read(await database)
    } catch {
      throw ServerError(.unknownRecord, error.message)
    }
  }
}
