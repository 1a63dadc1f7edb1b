package import JSONServerHTTP
import JSONServerValues

/// Lists in pages, each of which has the cursor of the next one: `{"data": [], "meta": {"total": 12, "next": "7"}}`.
///
/// A cursor is the id of the last record that the client has. A request with `_page`, `_start`, `_end`, `_limit` or
/// `_since` gets the usual form.
public struct CursorPages: Sendable, Hashable {
  /// The parameter with the cursor; without it, a request is for the first page.
  public var cursor: String
  /// The parameter with the number of records of a page.
  public var limit: String
  /// The number of records of a page when the request does not say it.
  public var size: Int
  /// The member of the response that holds the records; after a dot, a member within it.
  public var records: String
  /// The member that holds the next cursor, which is `null` on the last page.
  public var next: String
  /// The member that holds the number of all records; `nil` for none.
  public var total: String?

  /// Names the parameters of the requests, and the members of the responses.
  public init(
    cursor: String = "cursor", limit: String = "limit", size: Int = 10, records: String = "data",
    next: String = "meta.next", total: String? = "meta.total"
  ) {
    (self.cursor, self.limit, self.size) = (cursor, limit, size)
    (self.records, self.next, self.total) = (records, next, total)
  }

  /// The names of the settings, for rules such as `next=meta.next`.
  private static let settings: [(name: String, target: any WritableKeyPath<CursorPages, String> & Sendable)] = [
    ("cursor", \.cursor), ("limit", \.limit), ("records", \.records), ("next", \.next),
  ]

  /// Reads rules such as `next=meta.next`; `cursor` alone changes nothing.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration`.
  package init(_ rules: [String]) throws(ServerError) {
    self.init()
    for rule in rules where rule != "cursor" {
      let parts = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2, let setting = Self.settings.first(where: { $0.name == parts[0] }) {
        self[keyPath: setting.target] = parts[1]
      } else if parts.count == 2, parts[0] == "total" {
        total = parts[1].isEmpty ? nil : parts[1]
      } else if parts.count == 2, parts[0] == "size", let size = Int(parts[1]) {
        self.size = size
      } else {
        throw ServerError(
          .invalidConfiguration,
          "'\(rule)' is no rule for pages; write cursor, or one of cursor=, limit=, size=, records=, next= and total=."
        )
      }
    }
  }

  /// Why the pages cannot be used, as a sentence; `nil` when they can.
  package var problem: String? {
    if size < 1 { return "\(size) is not the size of a page; choose 1 or more." }
    let parameters = [cursor, limit]
    if parameters.contains(where: \.isEmpty) || cursor == limit {
      return "The cursor and the limit need a parameter each, such as cursor and limit."
    }
    if let name = parameters.first(where: { $0.hasPrefix("_") }) {
      return "'\(name)' cannot be a parameter of pages, since names with _ have other meanings; choose another."
    }
    let paths = [records, next, total].compactMap { $0?.split(separator: ".", omittingEmptySubsequences: false) }
    let collide = paths.indices.contains { one in
      paths.indices.contains { $0 != one && paths[$0].starts(with: paths[one]) }
    }
    guard collide || paths.contains(where: { $0.contains("") }) else { return nil }
    return "The records, the next cursor and the total need a member each, such as data, meta.next and meta.total."
  }

  /// The text before and after the records in a response, and the depth of the records.
  func envelope(next cursor: String?, total count: Int) -> (head: [UInt8], tail: [UInt8], level: Int) {
    // No other text of the envelope has this one in it: members with it would be escaped.
    let place = JSONValue.string("\u{0}")
    var envelope = JSONObject()
    envelope.set(place, at: records.split(separator: ".")[...])
    if let total { envelope.set(.number(JSONNumber(count)), at: total.split(separator: ".")[...]) }
    envelope.set(cursor.map(JSONValue.string) ?? .null, at: next.split(separator: ".")[...])
    let text = JSONValue.object(envelope).utf8Text(.pretty)
    let mark = text.firstRange(of: place.utf8Text(.compact)) ?? text.endIndex..<text.endIndex
    return (Array(text[..<mark.lowerBound]), Array(text[mark.upperBound...]), records.split(separator: ".").count)
  }
}

extension JSONObject {
  /// Sets a value below the members of a path.
  fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<Substring>) {
    guard let name = path.first.map(String.init) else { return }
    guard path.count > 1 else {
      self[name] = value
      return
    }
    var inner = self[name]?.object ?? JSONObject()
    inner.set(value, at: path.dropFirst())
    self[name] = .object(inner)
  }
}
