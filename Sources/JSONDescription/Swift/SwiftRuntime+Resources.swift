extension SwiftRuntime {
  /// The operations of a collection.
  var collection: String {
    """
    /// A record of a collection, with its draft, patch and id.
    \(openType)protocol ResourceRecord: Codable, Sendable {
      /// A record that has no id yet.
      associatedtype NewRecord: Encodable, Sendable
      /// A change of a record.
      associatedtype Patch: Encodable, Sendable
      /// The id of a record that has one.
      associatedtype RecordID: CustomStringConvertible, Sendable
    }

    /// A collection of records.
    \(openType)struct ResourceCollection<Record: ResourceRecord>: Sendable {
      fileprivate let client: \(clientName)
      fileprivate let path: String

      /// Returns the records that match.
      ///
      /// - Parameters:
      ///   - filters: Members and their values, such as `["userId": "1", "views_gte": "10"]`; a name given twice means
      ///     either value.
      ///   - search: A text that some value of the record contains.
      ///   - sort: The members to sort by; `-` before one sorts it descending.
      ///   - page: The number of the page, from 1; all records when neither it nor a limit is given.
      ///   - limit: The maximum number of records.
      \(open)func list(
        filters: KeyValuePairs<String, String> = [:], search: String? = nil, sort: [String] = [],
        page: Int? = nil, limit: Int? = nil
      ) async throws -> ResourcePage<Record> {
        try await list(
          Record.self, fields: [], filters: filters, search: search, sort: sort, page: page,
          limit: limit)
      }

      /// Returns some members of the records that match, as a type that has no others.
      ///
      /// - Parameters:
      ///   - type: The type.
      ///   - fields: The members, such as `["id", "author.name"]`.
      ///   - filters: Members and their values.
      ///   - search: A text that some value of the record contains.
      ///   - sort: The members to sort by; `-` before one sorts it descending.
      ///   - page: The number of the page, from 1; all records when neither it nor a limit is given.
      ///   - limit: The maximum number of records.
      \(open)func list<Part: Decodable & Sendable>(
        _ type: Part.Type, fields: [String], filters: KeyValuePairs<String, String> = [:],
        search: String? = nil, sort: [String] = [], page: Int? = nil, limit: Int? = nil
      ) async throws -> ResourcePage<Part> {
        let url = try client.url(
          path, query: query(fields, filters, search: search, sort: sort, page: page, limit: limit))
        let (data, response) = try await client.send("GET", url)
        let records: [Part] = try \(clientName).decode(data)
        let total = response.value(forHTTPHeaderField: "X-Total-Count").flatMap { Int($0) }
        return ResourcePage(records: records, totalCount: total ?? records.count)
      }

      /// Returns all records that match, and requests each page when it is needed.
      ///
      /// - Parameters:
      ///   - filters: Members and their values.
      ///   - search: A text that some value of the record contains.
      ///   - sort: The members to sort by; `-` before one sorts it descending.
      ///   - pageSize: How many records a request asks for.
      \(open)func all(
        filters: KeyValuePairs<String, String> = [:], search: String? = nil, sort: [String] = [],
        pageSize: Int = 100
      ) -> ResourceRecords<Record> {
        let query = query([], filters, search: search, sort: sort, page: 1, limit: pageSize)
        return ResourceRecords(client: client, path: path, query: query)
      }

      /// Returns the record with an id.
      \(open)func get(_ id: Record.RecordID) async throws -> Record {
        try await client.receive("GET", url(to: id))
      }

      /// Returns the record with an id, and its version, for a change that requires this version.
      \(open)func getWithVersion(
        _ id: Record.RecordID
      ) async throws -> (record: Record, version: String?) {
        let (data, response) = try await client.send("GET", url(to: id))
        return (try \(clientName).decode(data), response.value(forHTTPHeaderField: "ETag"))
      }

      /// Adds a record and returns it with its id.
      \(open)func create(_ record: Record.NewRecord) async throws -> Record {
        try await client.receive("POST", client.url(path), body: record)
      }

      /// Replaces all of a record but its id.
      ///
      /// - Parameter version: The version that the record must still have; otherwise, the error
      ///   has status 412.
      \(open)func replace(
        _ id: Record.RecordID, with record: Record.NewRecord, ifMatch version: String? = nil
      ) async throws -> Record {
        try await client.receive("PUT", url(to: id), ifMatch: version, body: record)
      }

      /// Changes some members of a record.
      ///
      /// - Parameter version: The version that the record must still have; otherwise, the error
      ///   has status 412.
      \(open)func update(
        _ id: Record.RecordID, _ changes: Record.Patch, ifMatch version: String? = nil
      ) async throws -> Record {
        try await client.receive("PATCH", url(to: id), ifMatch: version, body: changes)
      }

      /// Deletes a record and the records that depend on it.
      ///
      /// - Parameter version: The version that the record must still have; otherwise, the error
      ///   has status 412.
      \(open)func delete(_ id: Record.RecordID, ifMatch version: String? = nil) async throws {
        _ = try await client.send("DELETE", url(to: id), ifMatch: version)
      }

      private func url(to id: Record.RecordID) throws -> URL {
        try client.url(path + "/" + id.description.percentEncoded)
      }

      private func query(
        _ fields: [String], _ filters: KeyValuePairs<String, String>, search: String?, sort: [String],
        page: Int?, limit: Int?
      ) -> [(String, String)] {
        var query = filters.map { ($0.key, $0.value) }
        if let search { query.append(("q", search)) }
        if !sort.isEmpty { query.append(("_sort", sort.joined(separator: ","))) }
        if let page { query.append(("_page", String(page))) }
        if let limit { query.append(("_limit", String(limit))) }
        if !fields.isEmpty { query.append(("_fields", fields.joined(separator: ","))) }
        return query
      }
    }
    """
  }

  /// Pages of a collection, one and all.
  var pages: String {
    """
    /// Some of a collection's records.
    \(openType)struct ResourcePage<Record: Sendable>: Sendable {
      /// The records of this page.
      \(open)let records: [Record]
      /// The number of matching records on all pages.
      \(open)let totalCount: Int
    }

    /// Records that are requested page after page, each page when those before it are used up.
    \(openType)struct ResourceRecords<Record: Decodable & Sendable>: AsyncSequence, Sendable {
      fileprivate let client: \(clientName)
      fileprivate let path: String
      fileprivate let query: [(String, String)]

      \(open)func makeAsyncIterator() -> Iterator {
        Iterator(client: client, page: Result { try client.url(path, query: query) })
      }

      \(open)struct Iterator: AsyncIteratorProtocol {
        private let client: \(clientName)
        /// The next page; `nil` after the last.
        private var page: Result<URL, any Error>?
        private var records: ArraySlice<Record> = []

        fileprivate init(client: \(clientName), page: Result<URL, any Error>) {
          self.client = client
          self.page = page
        }

        \(open)mutating func next() async throws -> Record? {
          while records.isEmpty {
            guard let url = try page?.get() else { return nil }
            let (data, response) = try await client.send("GET", url)
            let received: [Record] = try \(clientName).decode(data)
            records = received[...]
            page = client.nextPage(after: response).map(Result.success)
          }
          return records.popFirst()
        }
      }
    }

    nonisolated extension \(clientName) {
      /// The page that a response names as the next (RFC 8288), on the client's own server: no other server gets
      /// its requests.
      fileprivate func nextPage(after response: HTTPURLResponse) -> URL? {
        let links = response.value(forHTTPHeaderField: "Link")?.split(separator: "<") ?? []
        for link in links {
          let parts = link.split(separator: ">", maxSplits: 1)
          guard parts.count == 2, parts[1].contains("rel=\\"next\\""),
            let url = URL(string: String(parts[0]), relativeTo: response.url),
            let next = URLComponents(url: url, resolvingAgainstBaseURL: true),
            var page = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
          else { continue }
          page.percentEncodedPath = next.percentEncodedPath
          page.percentEncodedQuery = next.percentEncodedQuery
          return page.url
        }
        return nil
      }
    }
    """
  }

  /// The operations of a single object.
  var object: String {
    """
    /// A single object.
    \(openType)struct ResourceObject<
      Record: Codable & Sendable, Patch: Encodable & Sendable
    >: Sendable {
      fileprivate let client: \(clientName)
      fileprivate let path: String

      /// Returns the object.
      \(open)func get() async throws -> Record {
        try await client.receive("GET", client.url(path))
      }

      /// Replaces the object.
      \(open)func replace(with record: Record) async throws -> Record {
        try await client.receive("PUT", client.url(path), body: record)
      }

      /// Changes some members of the object.
      \(open)func update(_ changes: Patch) async throws -> Record {
        try await client.receive("PATCH", client.url(path), body: changes)
      }
    }
    """
  }
}
