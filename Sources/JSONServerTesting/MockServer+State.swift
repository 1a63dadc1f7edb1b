public import JSONServer
public import OrderedJSON

extension MockServer {
  /// The whole data as it is now.
  public var value: JSONValue {
    get async { await server.value }
  }

  /// Returns the records of a collection, in stored order.
  ///
  /// ```swift
  /// #expect(try await server.records("bookmarks", as: Bookmark.self).count == 2)
  /// ```
  ///
  /// - Parameters:
  ///   - collection: The collection's name.
  ///   - type: The type of a record.
  ///   - names: How the names of properties become the names of members.
  ///   - dates: How dates are read.
  ///   - isolation: The actor that the records are read on; the caller's.
  ///   - filePath: The file of the call, for the error.
  ///   - line: The line of the call.
  /// - Throws: `ServerError` with code `unknownRecord` when there is no such collection; ``MockServerError`` with code
  ///   `unreadableRecord` that names the record and its member when one cannot be read:
  ///   `bookmarks[3] (id 7): title: expected a string, found null`.
  public func records<Record: Decodable>(
    _ collection: String, as type: Record.Type = Record.self, names: JSONNameStrategy = .unchanged,
    dates: JSONDateStrategy = .iso8601, isolation: isolated (any Actor)? = #isolation,
    filePath: String = #filePath, line: Int = #line
  ) async throws -> [Record] {
    let values = JSONValue.array(try await server.values(of: collection))
    do {
      return try JSONValueDecoder(dates: dates, names: names).decode([Record].self, from: values)
    } catch {
      let failure = DecodingFailure(error, in: collection, values)
      throw MockServerError(.unreadableRecord, "\(failure)\nThe record is \(failure.value)").at(filePath, line)
    }
  }

  /// Returns the records of a collection as JSON, in stored order.
  ///
  /// - Throws: `ServerError` with code `unknownRecord` when there is no such collection.
  public func values(of collection: String) async throws(ServerError) -> [JSONValue] {
    try await server.values(of: collection)
  }

  /// Resets the data to its state at start; the journal, faults and stubs stay.
  public func reset() async throws(ServerError) {
    try await server.reset()
  }

  /// Saves the data as it is now under a name; a snapshot of the same name is replaced.
  public func saveSnapshot(_ name: String) async {
    await server.saveSnapshot(name)
  }

  /// Restores the data of a snapshot.
  ///
  /// - Throws: `ServerError` with code `unknownSnapshot`.
  public func restoreSnapshot(_ name: String) async throws(ServerError) {
    try await server.restoreSnapshot(name)
  }
}
