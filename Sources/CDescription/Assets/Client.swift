// <note>
// The client of an example, from which the generator writes every other one: with other names and another access instead of
// `Client`, `User`, `NewUser`, `email` and `public`. Comments such as `<dates>` enclose lines that only some data needs; the
// generator writes those of `<models>` and `<resources>` itself.
// </note>
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif
// <models>

/// A user, in place of the records of the data.
public nonisolated struct User: ResourceRecord {
  public typealias NewRecord = NewUser
  public typealias Patch = NewUser
  public typealias RecordID = Int
}

public nonisolated struct NewUser: Encodable, Sendable {}
// </models>

/// A client of the server's resources.
public nonisolated struct Client: Sendable {
  /// The address of the server, such as `http://localhost:3000`.
  public let baseURL: URL
  public let session: URLSession
  // <signIn>
  fileprivate let store: TokenStore
  // </signIn>

  // <signIn>
  /// - Parameter tokens: The tokens of an earlier sign-in.
  // </signIn>
  public init(baseURL: URL, session: URLSession = .shared, tokens: SignInTokens? = nil) {
    self.baseURL = baseURL
    self.session = session
    // <signIn>
    store = TokenStore(tokens)
    // </signIn>
  }
  // <resources>

  public var users: ResourceCollection<User> {
    .init(client: self, path: "/users")
  }
  // </resources>
}

nonisolated extension Client {
  /// Sends a request and returns the response's body and head.
  ///
  /// - Throws: ``ResourceError`` when the status is not a success, `URLError` when there is no response.
  fileprivate func send(
    _ method: String, _ url: URL, ifMatch version: String? = nil, body: (any Encodable)? = nil
  ) async throws -> (Data, HTTPURLResponse) {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    if let version { request.setValue(version, forHTTPHeaderField: "If-Match") }
    if let body {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // <dates>
      encoder.dateEncodingStrategy = .internetDateTime
      // </dates>
      request.httpBody = try encoder.encode(body)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    let (data, response) = try await sendWithTokens(request)
    guard 200..<300 ~= response.statusCode else { throw ResourceError(response.statusCode, data) }
    return (data, response)
  }

  /// Sends a request and returns the value in the response's body.
  fileprivate func receive<Answer: Decodable>(
    _ method: String, _ url: URL, ifMatch version: String? = nil, body: (any Encodable)? = nil
  ) async throws -> Answer {
    try Self.decode(await send(method, url, ifMatch: version, body: body).0)
  }

  fileprivate func transmit(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return (data, response)
  }

  fileprivate func url(_ path: String, query: [(String, String)] = []) throws -> URL {
    var address = baseURL.absoluteString
    while address.hasSuffix("/") { address.removeLast() }
    address += path
    if !query.isEmpty {
      let pairs = query.map { "\($0.percentEncoded)=\($1.percentEncoded)" }
      address += "?" + pairs.joined(separator: "&")
    }
    guard let url = URL(string: address) else { throw URLError(.badURL) }
    return url
  }

  fileprivate static func decode<Answer: Decodable>(_ data: Data) throws -> Answer {
    let decoder = JSONDecoder()
    // <dates>
    decoder.dateDecodingStrategy = .internetDateTime
    // </dates>
    return try decoder.decode(Answer.self, from: data)
  }
}

nonisolated extension String {
  /// The text as it may stand anywhere in a URL's path or query.
  fileprivate var percentEncoded: String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: plain)) ?? self
  }
}
// <signIn>

nonisolated extension Client {
  /// Signs in. Requests carry the access token from now on; when the server refuses it, the client
  /// asks for a new one, once, and sends the request again. Copies of a client share their tokens.
  @discardableResult
  public func logIn(email: String, password: String) async throws -> User {
    try await signIn("/login", ["email": email, "password": password])
  }

  /// Adds a user, and signs in.
  @discardableResult
  public func register(_ user: NewUser) async throws -> User {
    try await signIn("/register", user)
  }

  /// Signs out: removes the tokens here and on the server.
  public func logOut() async throws {
    guard await store.tokens != nil else { return }
    do {
      _ = try await send("POST", url("/logout"))
      await store.set(nil)
    } catch {
      await store.set(nil)
      throw error
    }
  }

  /// The tokens, to keep them for the next launch; `nil` before signing in, after signing out, and when the
  /// server gives no new ones.
  public var tokens: SignInTokens? {
    get async { await store.tokens }
  }

  private func signIn(_ path: String, _ body: any Encodable) async throws -> User {
    struct Answer: Decodable { var user: User }
    await store.set(nil)
    let (data, _) = try await send("POST", url(path), body: body)
    let (tokens, answer): (SignInTokens, Answer) = (try Self.decode(data), try Self.decode(data))
    await store.set(tokens)
    return answer.user
  }

  /// Sends a request with the access token, and once more with a new one when the server refuses it.
  fileprivate func sendWithTokens(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    guard let tokens = await store.tokens else { return try await transmit(request) }
    let (data, response) = try await transmit(request, with: tokens)
    guard response.statusCode == 401 else { return (data, response) }
    let renewed = try await store.renew(tokens) { refused in
      try await newTokens(for: refused)
    }
    return if let renewed { try await transmit(request, with: renewed) } else { (data, response) }
  }

  /// Requests new tokens; `nil` when the server gives none.
  private func newTokens(for refused: SignInTokens) async throws -> SignInTokens? {
    var request = URLRequest(url: try url("/refresh"))
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(["refreshToken": refused.refreshToken])
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (data, response) = try await transmit(request)
    switch response.statusCode {
    case 200..<300: return try Self.decode(data)
    case 400, 401, 403: return nil
    default: throw ResourceError(response.statusCode, data)
    }
  }

  private func transmit(
    _ request: URLRequest, with tokens: SignInTokens
  ) async throws -> (Data, HTTPURLResponse) {
    var request = request
    request.setValue("Bearer \(tokens.accessToken)", forHTTPHeaderField: "Authorization")
    return try await transmit(request)
  }
}

/// The tokens that the server gives to a user who signs in.
public nonisolated struct SignInTokens: Codable, Sendable, Hashable {
  /// The token that requests carry.
  public var accessToken: String
  /// The token for new tokens; valid once.
  public var refreshToken: String
  // <initializer>

  public init(accessToken: String, refreshToken: String) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
  }
  // </initializer>
}

/// Keeps the tokens, and requests new ones only once however many requests were refused.
private actor TokenStore {
  private(set) var tokens: SignInTokens?
  private var renewal: Task<SignInTokens?, any Error>?

  init(_ tokens: SignInTokens?) {
    self.tokens = tokens
  }

  func set(_ tokens: SignInTokens?) {
    self.tokens = tokens
  }

  /// Returns tokens in place of the refused ones.
  func renew(
    _ refused: SignInTokens,
    _ request: @escaping @Sendable (SignInTokens) async throws -> SignInTokens?
  ) async throws -> SignInTokens? {
    if let renewal { return try await renewal.value }
    // Another request was refused before, and new ones are there.
    guard tokens == refused else { return tokens }
    // Not a part of the request: a canceled one must not take the new tokens with it.
    let task = Task { try await request(refused) }
    renewal = task
    defer { renewal = nil }
    let renewed = try await task.value
    if tokens == refused { tokens = renewed }
    return renewed
  }
}
// </signIn>
// <collections>

/// A record of a collection, with its draft, patch and id.
public nonisolated protocol ResourceRecord: Codable, Sendable {
  /// A record that has no id yet.
  associatedtype NewRecord: Encodable, Sendable
  /// A change of a record.
  associatedtype Patch: Encodable, Sendable
  /// The id of a record that has one.
  associatedtype RecordID: CustomStringConvertible, Sendable
}

/// A collection of records.
public nonisolated struct ResourceCollection<Record: ResourceRecord>: Sendable {
  fileprivate let client: Client
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
  public func list(
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
  public func list<Part: Decodable & Sendable>(
    _ type: Part.Type, fields: [String], filters: KeyValuePairs<String, String> = [:],
    search: String? = nil, sort: [String] = [], page: Int? = nil, limit: Int? = nil
  ) async throws -> ResourcePage<Part> {
    let url = try client.url(
      path, query: query(fields, filters, search: search, sort: sort, page: page, limit: limit))
    let (data, response) = try await client.send("GET", url)
    let records: [Part] = try Client.decode(data)
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
  public func all(
    filters: KeyValuePairs<String, String> = [:], search: String? = nil, sort: [String] = [],
    pageSize: Int = 100
  ) -> ResourceRecords<Record> {
    let query = query([], filters, search: search, sort: sort, page: 1, limit: pageSize)
    return ResourceRecords(client: client, path: path, query: query)
  }

  /// Returns the record with an id.
  public func get(_ id: Record.RecordID) async throws -> Record {
    try await client.receive("GET", url(to: id))
  }

  /// Returns the record with an id, and its version, for a change that requires this version.
  public func getWithVersion(
    _ id: Record.RecordID
  ) async throws -> (record: Record, version: String?) {
    let (data, response) = try await client.send("GET", url(to: id))
    return (try Client.decode(data), response.value(forHTTPHeaderField: "ETag"))
  }

  /// Adds a record and returns it with its id.
  public func create(_ record: Record.NewRecord) async throws -> Record {
    try await client.receive("POST", client.url(path), body: record)
  }

  /// Replaces all of a record but its id.
  ///
  /// - Parameter version: The version that the record must still have; otherwise, the error
  ///   has status 412.
  public func replace(
    _ id: Record.RecordID, with record: Record.NewRecord, ifMatch version: String? = nil
  ) async throws -> Record {
    try await client.receive("PUT", url(to: id), ifMatch: version, body: record)
  }

  /// Changes some members of a record.
  ///
  /// - Parameter version: The version that the record must still have; otherwise, the error
  ///   has status 412.
  public func update(
    _ id: Record.RecordID, _ changes: Record.Patch, ifMatch version: String? = nil
  ) async throws -> Record {
    try await client.receive("PATCH", url(to: id), ifMatch: version, body: changes)
  }

  /// Deletes a record and the records that depend on it.
  ///
  /// - Parameter version: The version that the record must still have; otherwise, the error
  ///   has status 412.
  public func delete(_ id: Record.RecordID, ifMatch version: String? = nil) async throws {
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

/// Some of a collection's records.
public nonisolated struct ResourcePage<Record: Sendable>: Sendable {
  /// The records of this page.
  public let records: [Record]
  /// The number of matching records on all pages.
  public let totalCount: Int
}

/// Records that are requested page after page, each page when those before it are used up.
public nonisolated struct ResourceRecords<Record: Decodable & Sendable>: AsyncSequence, Sendable {
  fileprivate let client: Client
  fileprivate let path: String
  fileprivate let query: [(String, String)]

  public func makeAsyncIterator() -> Iterator {
    Iterator(client: client, page: Result { try client.url(path, query: query) })
  }

  public struct Iterator: AsyncIteratorProtocol {
    private let client: Client
    /// The next page; `nil` after the last.
    private var page: Result<URL, any Error>?
    private var records: ArraySlice<Record> = []

    fileprivate init(client: Client, page: Result<URL, any Error>) {
      self.client = client
      self.page = page
    }

    public mutating func next() async throws -> Record? {
      while records.isEmpty {
        guard let url = try page?.get() else { return nil }
        let (data, response) = try await client.send("GET", url)
        let received: [Record] = try Client.decode(data)
        records = received[...]
        page = client.nextPage(after: response).map(Result.success)
      }
      return records.popFirst()
    }
  }
}

nonisolated extension Client {
  /// The page that a response names as the next (RFC 8288), on the client's own server: no other server gets
  /// its requests.
  fileprivate func nextPage(after response: HTTPURLResponse) -> URL? {
    let links = response.value(forHTTPHeaderField: "Link")?.split(separator: "<") ?? []
    for link in links {
      let parts = link.split(separator: ">", maxSplits: 1)
      guard parts.count == 2, parts[1].contains("rel=\"next\""),
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
// </collections>
// <objects>

/// A single object.
public nonisolated struct ResourceObject<
  Record: Codable & Sendable, Patch: Encodable & Sendable
>: Sendable {
  fileprivate let client: Client
  fileprivate let path: String

  /// Returns the object.
  public func get() async throws -> Record {
    try await client.receive("GET", client.url(path))
  }

  /// Replaces the object.
  public func replace(with record: Record) async throws -> Record {
    try await client.receive("PUT", client.url(path), body: record)
  }

  /// Changes some members of the object.
  public func update(_ changes: Patch) async throws -> Record {
    try await client.receive("PATCH", client.url(path), body: changes)
  }
}
// </objects>
// <nulls>

/// The change of a value that may be null: `deletedAt: .null`, `deletedAt: .set(date)`.
public nonisolated enum PatchValue<
  Value: Codable & Sendable & Hashable
>: Codable, Sendable, Hashable {
  case null
  case set(Value)

  /// Null when there is no value.
  public init(_ value: Value?) {
    self = value.map { .set($0) } ?? .null
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .null : .set(try container.decode(Value.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .set(let value): try container.encode(value)
    }
  }
}

nonisolated extension KeyedDecodingContainer {
  /// Tells null from a missing member.
  fileprivate func decodeIfPresent<Value>(
    _ type: PatchValue<Value>.Type, forKey key: Key
  ) throws -> PatchValue<Value>? {
    contains(key) ? try decode(type, forKey: key) : nil
  }
}
// </nulls>

/// An error that the server responds with.
public nonisolated struct ResourceError: Error, Sendable, Hashable {
  /// The status of the response, such as 404.
  public let statusCode: Int
  /// The message of the server.
  public let message: String

  fileprivate init(_ statusCode: Int, _ body: Data) {
    struct Body: Decodable { var message: String }
    self.statusCode = statusCode
    let error = try? JSONDecoder().decode(Body.self, from: body)
    message = error?.message ?? String(decoding: body, as: UTF8.self)
  }
}

nonisolated extension ResourceError: LocalizedError {
  public var errorDescription: String? { message }
}
// <dates>

nonisolated extension JSONDecoder.DateDecodingStrategy {
  /// Dates such as `2024-05-01T12:30:00Z` and `2024-05-01T12:30:00.123+02:00`.
  fileprivate static var internetDateTime: Self {
    .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
      guard let date = try? style.parse(text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\(text) is not a date and time.")
      }
      return date
    }
  }
}

nonisolated extension JSONEncoder.DateEncodingStrategy {
  /// Dates in UTC, with milliseconds when there are any.
  fileprivate static var internetDateTime: Self {
    .custom { date, encoder in
      let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded()
      let rounded = Date(timeIntervalSinceReferenceDate: milliseconds / 1000)
      let isWhole = milliseconds.truncatingRemainder(dividingBy: 1000) == 0
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole)
      var container = encoder.singleValueContainer()
      try container.encode(rounded.formatted(style))
    }
  }
}
// </dates>
// <anyJSON>

/// A JSON value of any type.
public nonisolated enum AnyJSON: Codable, Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  /// A number of more digits than a `Double` has.
  case decimal(Decimal)
  case string(String)
  case array([AnyJSON])
  case object([String: AnyJSON])

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Decimal.self),
      value.magnitude > 9_007_199_254_740_992
    {
      self = .decimal(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([AnyJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: AnyJSON].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

nonisolated extension AnyJSON: CustomStringConvertible {
  /// The value as an address names it.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): String(value)
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .decimal(let value): value.description
    case .string(let value): value
    case .array(let value): value.map(\.description).joined(separator: ",")
    case .object(let value): String(describing: value)
    }
  }
}
// </anyJSON>
