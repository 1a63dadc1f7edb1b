import JSONDatabase
import OrderedJSON

extension Database {
  /// Reads a text; generated ids are `id1`, `id2` and so on.
  static func fixture(_ text: String, _ dialect: Dialect = .classic) throws(LoadError) -> Database {
    var schema = Schema()
    schema.dialect = dialect
    return try Database(parsing: UTF8Slice(text), schema: schema, ids: .constant)
  }

  /// The file's text as a string.
  var string: String { String(decoding: text.bytes, as: UTF8.self) }

  mutating func create(
    _ body: String, in name: String, below parent: (resource: String, id: String)? = nil
  ) throws(DatabaseError) -> WrittenRecord {
    try UTF8Slice(body).withBytes { body throws(DatabaseError) in
      try create(body, in: name, belongingTo: parent, ids: .constant)
    }
  }

  mutating func createOrMerge(_ body: String, in name: String) throws(DatabaseError) -> (
    records: [UTF8Slice], created: Int
  ) {
    try UTF8Slice(body).withBytes { body throws(DatabaseError) in try createOrMerge(body, in: name, ids: .constant) }
  }

  mutating func replace(_ id: String, in name: String, with body: String) throws(DatabaseError) -> WrittenRecord {
    try UTF8Slice(body).withBytes { body throws(DatabaseError) in try replace(id, in: name, with: body) }
  }

  mutating func merge(_ body: String, into id: String, in name: String) throws(DatabaseError) -> WrittenRecord {
    try UTF8Slice(body).withBytes { body throws(DatabaseError) in try merge(body, into: id, in: name) }
  }

  mutating func write(_ body: String, toSingular name: String) throws(DatabaseError) -> UTF8Slice {
    try UTF8Slice(body).withBytes { body throws(DatabaseError) in try write(body, toSingular: name, merging: true) }
  }

  /// The ids of the records that a query selects, as JSON text.
  mutating func ids(of name: String, _ query: Query) throws -> [String] {
    try list(name, query).selection.records.map { record in
      try JSONValue(parsing: record.string)["id"]?.text(pretty: false) ?? "none"
    }
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
    self.parameters = parameters.map { FilterParameter($0.0, [$0.1]) }
  }

  /// Creates a query with a `_where` tree.
  init(where conditions: JSONValue) {
    self.init()
    self.conditions = conditions
  }
}
