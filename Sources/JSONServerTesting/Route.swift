import HTTPTypes
public import JSONServer
public import JSONServerValues

/// The requests that an expectation, a fault, a stub or a hold is about: `.get("/users/*", query: ["_page": "2"])`.
///
/// All four match requests by it in the same way. The path is decoded; a `*` matches any characters, slashes included, and a
/// query that follows it counts like `query`. It is met by the path that was sent, with and without the server's path
/// prefix, and by the one that rewrite rules made of it. GET is HEAD, too, and a method that was overridden is the one that
/// overrides. A route that no request can match fails the test.
public typealias Route = RequestPattern

extension Route {
  /// GET requests to a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - query: Parameters that the query has, among others; `nil` for one that it does not have.
  ///   - headers: Header fields that the request has, among others; `*` stands for any characters, `nil` for a field that
  ///     the request does not have.
  public static func get(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:]
  ) -> Route { Route(.get, path, query: query, headers: headers) }

  /// HEAD requests to a path.
  public static func head(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:]
  ) -> Route { Route(.head, path, query: query, headers: headers) }

  /// POST requests to a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - query: Parameters that the query has, among others; `nil` for one that it does not have.
  ///   - headers: Header fields that the request has, among others; `nil` for one that it does not have.
  ///   - body: The body as JSON: a literal for the whole, or `.including(…)` for a part of it.
  public static func post(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body? = nil
  ) -> Route { Route(.post, path, query: query, headers: headers, body: body) }

  /// PUT requests to a path.
  public static func put(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body? = nil
  ) -> Route { Route(.put, path, query: query, headers: headers, body: body) }

  /// PATCH requests to a path.
  public static func patch(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body? = nil
  ) -> Route { Route(.patch, path, query: query, headers: headers, body: body) }

  /// DELETE requests to a path.
  public static func delete(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:]
  ) -> Route { Route(.delete, path, query: query, headers: headers) }

  /// Requests of all methods.
  public static func any(
    _ path: String = "*", query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body? = nil
  ) -> Route { Route(nil, path, query: query, headers: headers, body: body) }
}

extension Request {
  /// The body as the server understands it: JSON, or the members of a form, the rows of a table; `nil` when there is
  /// none.
  public var value: JSONValue? { bodyValue }

  /// Returns the body as a Swift value.
  ///
  /// ```swift
  /// let saved = try await server.waitForRequest(.post("/bookmarks")).request.decode(Bookmark.self)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type to read.
  ///   - names: How the names of properties become the names of members.
  ///   - dates: How dates are read.
  /// - Throws: `DecodingError` with the coding path of what is missing or of another kind; a body that is missing is null.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, names: JSONNameStrategy = .unchanged, dates: JSONDateStrategy = .iso8601
  ) throws -> Value {
    try JSONValueDecoder(dates: dates, names: names).decode(type, from: bodyValue ?? .null)
  }
}
