import HTTPTypes
public import JSONServerValues

extension RequestPattern {
  /// The requests without those that match another pattern: `.any("/api/*").unless(.post("/api/login"))`.
  public func unless(_ pattern: RequestPattern) -> RequestPattern {
    var others = self
    others.exceptions.append(pattern)
    return others
  }

  /// GET requests to a path.
  ///
  /// - Parameters:
  ///   - path: The path; `:name` stands for a segment, `*` for any characters.
  ///   - query: Parameters that the query must have; `nil` for a parameter that it must not have.
  ///   - headers: Header fields that the request must have; `*` stands for any characters, `nil` for a field that the
  ///     request must not have.
  public static func get(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:]
  ) -> RequestPattern { RequestPattern(.get, path, query: query, headers: headers) }

  /// HEAD requests to a path.
  public static func head(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:]
  ) -> RequestPattern { RequestPattern(.head, path, query: query, headers: headers) }

  /// POST requests to a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - query: Parameters that the query must have; `nil` for a parameter that it must not have.
  ///   - headers: Header fields that the request must have; `nil` for a field that it must not have.
  ///   - body: The body: `.including(…)` for a part of it, JSON for the whole body, or `nil` for a request without a body.
  public static func post(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body = .any
  ) -> RequestPattern { RequestPattern(.post, path, query: query, headers: headers, body: body) }

  /// POST requests to a path with this JSON as the whole body; the order of members and the spelling of numbers make no
  /// difference.
  @_disfavoredOverload
  public static func post(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: JSONValue
  ) -> RequestPattern { .post(path, query: query, headers: headers, body: .equal(body)) }

  /// PUT requests to a path.
  public static func put(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body = .any
  ) -> RequestPattern { RequestPattern(.put, path, query: query, headers: headers, body: body) }

  /// PUT requests to a path with this JSON as the whole body.
  @_disfavoredOverload
  public static func put(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: JSONValue
  ) -> RequestPattern { .put(path, query: query, headers: headers, body: .equal(body)) }

  /// PATCH requests to a path.
  public static func patch(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body = .any
  ) -> RequestPattern { RequestPattern(.patch, path, query: query, headers: headers, body: body) }

  /// PATCH requests to a path with this JSON as the whole body.
  @_disfavoredOverload
  public static func patch(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: JSONValue
  ) -> RequestPattern { .patch(path, query: query, headers: headers, body: .equal(body)) }

  /// DELETE requests to a path.
  public static func delete(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body = .any
  ) -> RequestPattern { RequestPattern(.delete, path, query: query, headers: headers, body: body) }

  /// DELETE requests to a path with this JSON as the whole body.
  @_disfavoredOverload
  public static func delete(
    _ path: String, query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: JSONValue
  ) -> RequestPattern { .delete(path, query: query, headers: headers, body: .equal(body)) }

  /// Requests of all methods.
  public static func any(
    _ path: String = "*", query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: Body = .any
  ) -> RequestPattern { RequestPattern(nil, path, query: query, headers: headers, body: body) }

  /// Requests of all methods with this JSON as the whole body.
  @_disfavoredOverload
  public static func any(
    _ path: String = "*", query: KeyValuePairs<String, String?> = [:], headers: KeyValuePairs<String, String?> = [:],
    body: JSONValue
  ) -> RequestPattern { .any(path, query: query, headers: headers, body: .equal(body)) }
}
