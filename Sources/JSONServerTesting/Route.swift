public import HTTPTypes
public import JSONServer
public import OrderedJSON

/// The requests that an expectation or a fault is about: `.get("/users/*")`.
///
/// Faults, stubs and expectations match requests by it in the same way. The path is decoded, without a query and
/// without the path under which the server is mounted; a `*` matches any characters, slashes included. It is met
/// by the path that was sent as well as by the one that rewrite rules made of it. GET is HEAD, too, and a method that
/// was overridden is the one that overrides.
public struct Route: Sendable, Hashable {
  /// The method; `nil` for all.
  public let method: HTTPRequest.Method?

  /// The path, decoded; a `*` matches any characters.
  public let path: String

  /// Creates a route.
  public init(_ method: HTTPRequest.Method?, _ path: String) {
    self.method = method
    self.path = path
  }

  /// GET requests to a path.
  public static func get(_ path: String) -> Route { Route(.get, path) }
  /// HEAD requests to a path.
  public static func head(_ path: String) -> Route { Route(.head, path) }
  /// POST requests to a path.
  public static func post(_ path: String) -> Route { Route(.post, path) }
  /// PUT requests to a path.
  public static func put(_ path: String) -> Route { Route(.put, path) }
  /// PATCH requests to a path.
  public static func patch(_ path: String) -> Route { Route(.patch, path) }
  /// DELETE requests to a path.
  public static func delete(_ path: String) -> Route { Route(.delete, path) }

  /// Requests of all methods.
  public static func any(_ path: String = "*") -> Route { Route(nil, path) }

  /// Whether a request is of the route.
  func matches(_ exchange: Exchange) -> Bool {
    RequestPattern(method: method, path: path).matches(exchange.route)
  }
}

extension Route: CustomStringConvertible {
  public var description: String { "\(method?.rawValue ?? "any method") \(path)" }
}

extension Request {
  /// The body as the server understands it: JSON, or the members of a form, the rows of a table; `nil` when there is
  /// none.
  public var value: JSONValue? {
    guard let bytes = (try? RequestBody.json(from: self))?.json.utf8 ?? (body.isEmpty ? nil : body) else { return nil }
    return (try? JSONValue(parsing: bytes)) ?? String(validating: bytes, as: UTF8.self).map(JSONValue.string)
  }
}
