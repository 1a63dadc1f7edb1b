extension SwiftRuntime {
  /// What a client can do with a collection.
  static func collection(clientName: String) -> String {
    """
    /// Some of a collection's records.
    struct ResourcePage<Record: Sendable>: Sendable {
      /// The records of this page.
      let records: [Record]
      /// How many records match, on this page and the others.
      let totalCount: Int
    }

    /// A record of a collection, and what goes with it.
    protocol ResourceRecord: Codable, Sendable {
      /// A record that has no id yet.
      associatedtype NewRecord: Encodable
      /// A change of a record.
      associatedtype Patch: Encodable
      /// The id of a record that has one.
      associatedtype RecordID: CustomStringConvertible
    }

    /// A collection of records.
    struct ResourceCollection<Record: ResourceRecord>: Sendable {
      fileprivate let client: \(clientName)
      fileprivate let path: String

      /// Returns the records that match.
      ///
      /// - Parameters:
      ///   - filters: Members and their values, such as `["userId": "1", "views_gte": "10"]`; a name given twice means
      ///     either value.
      ///   - search: A text that some value of the record contains.
      ///   - sort: The members to sort by; `-` before one sorts it descending.
      ///   - page: The page wanted, from 1; all records when neither it nor a limit is given.
      ///   - limit: The most records wanted.
      func list(
        filters: KeyValuePairs<String, String> = [:], search: String? = nil, sort: [String] = [],
        page: Int? = nil, limit: Int? = nil
      ) async throws -> ResourcePage<Record> {
        var query = filters.map { ($0.key, $0.value) }
        if let search { query.append(("q", search)) }
        if !sort.isEmpty { query.append(("_sort", sort.joined(separator: ","))) }
        if let page { query.append(("_page", String(page))) }
        if let limit { query.append(("_limit", String(limit))) }
        let (data, response) = try await client.send("GET", path, query: query)
        let records: [Record] = try \(clientName).decode(data)
        let total = response.value(forHTTPHeaderField: "X-Total-Count").flatMap { Int($0) }
        return ResourcePage(records: records, totalCount: total ?? records.count)
      }

      /// Returns the record with an id.
      func get(_ id: Record.RecordID) async throws -> Record {
        try await client.receive("GET", path(to: id))
      }

      /// Adds a record and returns it with its id.
      func create(_ record: Record.NewRecord) async throws -> Record {
        try await client.receive("POST", path, body: record)
      }

      /// Replaces all of a record but its id.
      func replace(_ id: Record.RecordID, with record: Record.NewRecord) async throws -> Record {
        try await client.receive("PUT", path(to: id), body: record)
      }

      /// Changes some members of a record.
      func update(_ id: Record.RecordID, _ changes: Record.Patch) async throws -> Record {
        try await client.receive("PATCH", path(to: id), body: changes)
      }

      /// Deletes a record and the records that depend on it.
      func delete(_ id: Record.RecordID) async throws {
        _ = try await client.send("DELETE", path(to: id))
      }

      private func path(to id: Record.RecordID) -> String {
        path + "/" + id.description.percentEncoded
      }
    }
    """
  }

  /// What a client can do with a single object.
  static func object(clientName: String) -> String {
    """
    /// A single object.
    struct ResourceObject<Record: Codable & Sendable, Patch: Encodable & Sendable>: Sendable {
      fileprivate let client: \(clientName)
      fileprivate let path: String

      /// Returns the object.
      func get() async throws -> Record {
        try await client.receive("GET", path)
      }

      /// Replaces the object.
      func replace(with record: Record) async throws -> Record {
        try await client.receive("PUT", path, body: record)
      }

      /// Changes some members of the object.
      func update(_ changes: Patch) async throws -> Record {
        try await client.receive("PATCH", path, body: changes)
      }
    }
    """
  }
}
