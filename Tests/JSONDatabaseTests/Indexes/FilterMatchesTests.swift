import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

/// What is remembered of filters, and where a sorted page begins.
@Suite(.calculates) struct FilterMatchesTests {
  enum Write: CaseIterable, Sendable {
    case create, replace, merge, delete

    func apply(to database: inout Database) throws {
      switch self {
      case .create: _ = try database.create(#"{"id":900,"few":true,"kind":"b","n":50}"#, in: "a")
      // One that was selected is no longer, and the other way round.
      case .replace:
        _ = try database.replace("4", in: "a", with: #"{"few":false,"kind":"b","n":1}"#)
        _ = try database.replace("5", in: "a", with: #"{"few":true,"kind":"b","n":99}"#)
      case .merge:
        _ = try database.merge(#"{"kind":"c","n":2}"#, into: "4", in: "a")
        _ = try database.merge(#"{"few":true,"kind":"b","n":50}"#, into: "9", in: "a")
      case .delete: _ = try database.delete("4", in: "a")
      }
    }
  }

  private static let queries: [Query] = {
    let filters = [
      Query(("few", "true"), ("kind", "b")), Query(("n:gte", "20")), Query(("few", "true"), ("n:lt", "60")),
      Query(("n:gte", "20"), ("n:lt", "60")), Query(("n:ne", "50")),
    ]
    let orders = [[], [SortKey(FieldPath("n"))], [SortKey(FieldPath("n"), descending: true)]]
    return filters.flatMap { filter in
      orders.flatMap { sort in
        [Query.Window.page(2, size: 7), .all].map { window in
          var query = filter
          query.sort = sort
          query.window = window
          return query
        }
      }
    }
  }()

  private static func expectFresh(_ database: inout Database, _ dialect: Dialect, _ comment: Comment) throws {
    let fresh = try Database.fixture(database.string, dialect)
    for query in queries {
      let expected = try fresh.list("a", query).selection
      // The second answer is remembered.
      for _ in 0..<2 {
        let found = try database.list("a", query).selection
        #expect(found.total == expected.total, comment)
        #expect(found.records.map(\.string) == expected.records.map(\.string), comment)
      }
    }
  }

  @Test(arguments: [Dialect.classic, .v1], Write.allCases)
  func `What is remembered of a filter ends with a change, and with its undoing`(
    _ dialect: Dialect, _ write: Write
  ) throws {
    let records = (1...80).map { id in
      let kind = ["a", "b", "c"][id % 3]
      return #"{"id":\#(id),"few":\#(id % 2 == 0),"kind":"\#(kind)","n":\#(id * 7 % 100)}"#
    }
    var database = try Database.fixture("{\"a\":[\(records.joined(separator: ",\n"))]}", dialect)
    let before = database
    try Self.expectFresh(&database, dialect, "before \(write)")
    try write.apply(to: &database)
    try Self.expectFresh(&database, dialect, "after \(write)")
    database = before
    try Self.expectFresh(&database, dialect, "after undoing \(write)")
  }

  @Test func `Texts that differ in their bytes alone are not one filter`() throws {
    let texts = ["\u{E9}", "e\u{301}"]
    let records = (0..<8).map { #"{"id":\#($0),"few":true,"word":"\#(texts[$0 % 2])"}"# }
    let database = try Database.fixture("{\"a\":[\(records.joined(separator: ","))]}")
    for (text, ids) in zip(texts, [["0", "2", "4", "6"], ["1", "3", "5", "7"]]) {
      #expect(try database.ids(of: "a", Query(("few", "true"), ("word", text))) == ids)
      var own = Query(("few", "true"))
      own.criteria.parameters.append(FilterParameter("id:gte", ["0"]))
      own.criteria.owner = Query.Reference(FieldPath("word"), text)
      #expect(try database.ids(of: "a", own) == ids)
    }
    #expect(try database.ids(of: "a", Query(("word:gte", texts[0]))) == ["0", "2", "4", "6"])
    #expect(try database.ids(of: "a", Query(("word:gte", texts[1]))).count == 8)
  }

  enum Shape: CaseIterable, Sendable {
    case ties, missing, nulls, texts, mixed

    /// The JSON of a record's value; `nil` for none.
    func value(_ id: Int) -> String? {
      let number = "\(id * 7 % 40)"
      let text = #""\#(["k", "m", "", "z", "\u{E9}", "M"][id % 6])""#
      switch self {
      case .ties: return number
      case .missing: return id % 5 == 0 ? nil : number
      case .nulls: return id % 9 == 0 ? nil : id % 7 == 0 ? "null" : id % 11 == 0 ? "true" : number
      case .texts: return id % 9 == 0 ? nil : id % 13 == 0 ? "null" : text
      case .mixed: return id % 9 == 0 ? nil : id % 7 == 0 ? "null" : id % 2 == 0 ? number : text
      }
    }

    var operand: JSONValue { self == .texts ? .string("m") : .number(JSONNumber(20)) }
  }

  @Test(arguments: [Dialect.classic, .v1], Shape.allCases)
  func `A page sorted by what a filter bounds is that of a scan`(_ dialect: Dialect, _ shape: Shape) throws {
    let records = (0..<80).map { id in
      let value = shape.value(id).map { ",\"value\":\($0)" } ?? ""
      return "{\"id\":\(id),\"few\":\(id % 3 == 0)\(value)}"
    }
    var database = try Database.fixture("{\"a\":[\(records.joined(separator: ","))]}", dialect)
    try Self.expectPagesOfScan(&database, shape)
    // Slots and chunks are no longer those of a collection that was just read.
    for id in ["0", "7", "20", "21", "79"] { _ = try database.delete(id, in: "a") }
    _ = try database.create(#"{"id":900,"few":true,"value":\#(shape.value(1) ?? "1")}"#, in: "a")
    try Self.expectPagesOfScan(&database, shape)
  }

  private static func expectPagesOfScan(_ database: inout Database, _ shape: Shape) throws {
    let (value, few) = (FieldPath("value"), FieldPath("few"))
    let orders = [
      [SortKey(value)], [SortKey(value, descending: true)], [SortKey(value), SortKey(few, descending: true)],
      [SortKey(value, descending: true), SortKey(few)], [SortKey(few), SortKey(value)],
    ]
    let windows = [Query.Window.page(2, size: 7), .slice(start: -7, end: -2), .all]
    let filters: [[Comparison]] = [
      [.less], [.lessOrEqual], [.greater], [.greaterOrEqual], [.notEqual], [.greaterOrEqual, .lessOrEqual],
      [.greater, .less], [.notEqual, .lessOrEqual],
    ]
    let operand = shape.operand.string ?? shape.operand.text(pretty: false)
    for filter in filters {
      for isFew in [false, true] {
        var query = Query()
        query.criteria.parameters = filter.map { FilterParameter("value:\($0.rawValue)", [operand]) }
        var tests = filter.map { comparison in Self.test("value", comparison, shape.operand) }
        if isFew {
          query.criteria.parameters.append(FilterParameter("few", ["true"]))
          tests.append(Self.test("few", .equal, .bool(true)))
        }
        for sort in orders {
          for window in windows {
            (query.sort, query.window) = (sort, window)
            var scan = query
            scan.criteria.parameters = []
            scan.criteria.conditions = .object(JSONObject([("and", .array(tests))]))
            let found = try database.list("a", query).selection
            let expected = try database.list("a", scan).selection
            #expect(found.total == expected.total, "\(filter) \(isFew) \(sort) \(window)")
            #expect(
              found.records.map(\.string) == expected.records.map(\.string), "\(filter) \(isFew) \(sort) \(window)")
          }
        }
      }
    }
  }

  /// A condition below an `or`, where every record is read.
  private static func test(_ name: String, _ comparison: Comparison, _ operand: JSONValue) -> JSONValue {
    let test = JSONValue.object(JSONObject([(comparison.rawValue, operand)]))
    return .object(JSONObject([("or", .array([.object(JSONObject([(name, test)]))]))]))
  }
}
