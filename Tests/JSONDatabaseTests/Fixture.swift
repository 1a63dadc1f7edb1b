import JSONDatabase
import JSONServerValues

extension Database {
  /// Reads a text; generated ids are `id1`, `id2` and so on.
  static func fixture(_ text: String, _ dialect: Dialect = .classic) throws(JSONError) -> Database {
    var schema = Schema()
    schema.dialect = dialect
    return try Database(parsing: UTF8Slice(text), schema: schema, ids: .constant)
  }

  /// The file's text as a string.
  var string: String { String(decoding: text.bytes, as: UTF8.self) }

  mutating func create(
    _ body: String, in name: String, below parent: (resource: String, id: String)? = nil
  ) throws -> WrittenRecord {
    try create(ValidJSON(body), in: name, belongingTo: parent, ids: .constant)
  }

  mutating func createOrMerge(_ body: String, in name: String) throws -> (records: [ValidJSON], created: Int) {
    try createOrMerge(ValidJSON(body), in: name, ids: .constant)
  }

  mutating func replace(_ id: String, in name: String, with body: String) throws -> WrittenRecord {
    try edit(id, in: name, by: .replace(ValidJSON(body)))
  }

  mutating func merge(_ body: String, into id: String, in name: String) throws -> WrittenRecord {
    try edit(id, in: name, by: .merge(ValidJSON(body)))
  }

  mutating func write(_ body: String, toSingular name: String) throws -> ValidJSON {
    try edit(singular: name, by: .merge(ValidJSON(body)))
  }

  /// The ids of the records that a query selects, as JSON text.
  func ids(of name: String, _ query: Query) throws -> [String] {
    try list(name, query).selection.records.map { record in
      try JSONValue(parsing: record.string)["id"]?.text(pretty: false) ?? "none"
    }
  }
}

extension ValidJSON {
  /// Reads a text.
  init(_ text: String) throws(JSONError) {
    try self.init(parsing: Array(text.utf8))
  }
}

extension IDGenerator {
  /// Always the same id.
  static let constant = IDGenerator { "generated" }
}

extension Query {
  /// Creates a query with one filter for each parameter.
  init(_ parameters: (String, String)...) {
    self.init()
    criteria.parameters = parameters.map { FilterParameter($0.0, [$0.1]) }
  }

  /// Creates a query with a `_where` tree.
  init(where conditions: JSONValue) {
    self.init()
    criteria.conditions = conditions
  }
}
