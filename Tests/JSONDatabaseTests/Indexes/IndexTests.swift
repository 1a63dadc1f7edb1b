import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

/// What indexes and searches find, compared with what reading one record after the other finds.
@Suite(.calculates) struct IndexTests {
  /// A filter, as a parameter for which indexes may be used and as a condition for which none is.
  private struct Sample {
    let path: String
    let comparison: Comparison
    let operand: String

    var parameter: FilterParameter { FilterParameter("\(path):\(comparison.rawValue)", [operand]) }

    /// The same below an `or`, where every record is read.
    func condition(_ dialect: Dialect) -> JSONValue {
      let test = JSONValue.object(JSONObject([(comparison.rawValue, value(dialect))]))
      return .object(JSONObject([("or", .array([.object(JSONObject([(path, test)]))]))]))
    }

    /// The operand as JSON. To 1.0 a parameter's word may be a number, a boolean or null; a string in a tree is a
    /// string.
    private func value(_ dialect: Dialect) -> JSONValue {
      switch comparison {
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        guard dialect == .v1 else { return .string(operand) }
        let literal = Double(operand).map(\.description) ?? operand
        return (try? JSONValue(parsing: literal)) ?? .string(operand)
      case .equal, .notEqual: return operand == "null" ? .null : .string(operand)
      case .isIn, .contains, .startsWith, .endsWith, .like, .exists: return .string(operand)
      }
    }
  }

  private static let words = ["ab", "Ab c", "b\\c", "\u{E9}t\u{E9}", "line\nab", "5", "07", "", "ab,c", "[object"]
  private static let paths = [
    "number", "text", "few", "mixed", "list", "in.number", "items.number", "items.text", "large",
  ]
  private static let large = [
    "1e400", "-1e400", "9007199254740993", "12345678901234567890", "1.0", "-0", "1e21", "1E21",
  ]

  /// The text of a record; what its members hold is of one kind, but for null, and of several under `mixed`.
  private static func record(_ id: Int, _ random: inout SeededGenerator) -> String {
    func number() -> String {
      ["\(Int.random(in: -40...40, using: &random))", "2.5", "1e1"].randomElement(using: &random) ?? ""
    }
    func text() -> String {
      let text = JSONValue.string(words.randomElement(using: &random) ?? "").text(pretty: false)
      return Bool.random(using: &random) ? text : text.replacing("a", with: "\\u0061")
    }
    var members = ["\"id\":\(id)", "\"few\":\(id % 3 == 0)"]
    func isThere(_ chance: Int) -> Bool { Int.random(in: 0..<chance, using: &random) > 0 }
    if isThere(9) { members.append("\"number\":\(isThere(50) ? number() : "null")") }
    if isThere(9) { members.append("\"text\":\(isThere(50) ? text() : "null")") }
    if isThere(2) { members.append("\"mixed\":\(Bool.random(using: &random) ? number() : text())") }
    if isThere(2) { members.append("\"list\":[\(text()),\(number()),{}]") }
    if isThere(2) { members.append("\"large\":\(large.randomElement(using: &random) ?? "")") }
    if isThere(9) { members.append("\"in\":{\"number\":\(number())}") }
    if isThere(9) {
      let items = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        isThere(4) ? "{\"number\":\(number()),\"text\":\(isThere(4) ? text() : "null")}" : "{}"
      }
      members.append("\"items\":[\(items.joined(separator: ","))]")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func sample(_ random: inout SeededGenerator) -> Sample {
    let operands = words + (-3...3).map { "\($0 * 10)" } + ["2.5", "true", "null"]
    let path = paths.randomElement(using: &random) ?? "number"
    let numbers = large + ["Infinity", "-Infinity", "0", "1", "1e+21", "9007199254740992"]
    return Sample(
      path: path,
      comparison: Comparison.allCases.randomElement(using: &random) ?? .equal,
      operand: (path == "large" ? numbers : operands).randomElement(using: &random) ?? "ab")
  }

  /// Whether a sample can be asked for in either way: a pattern that is one, an operator that the dialect has.
  private static func canBeAsked(_ sample: Sample, _ dialect: Dialect) -> Bool {
    switch sample.comparison {
    case .like: dialect == .classic && !sample.operand.contains { "\\[".contains($0) }
    case .exists: sample.operand == "true"
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .contains, .startsWith, .endsWith:
      true
    }
  }

  @Test(arguments: [Dialect.classic, .v1], [1, 30, 300])
  func `Indexes find what reading every record finds, whatever was written`(_ dialect: Dialect, _ count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let records = (1...count).map { Self.record($0, &random) }
    var database = try Database.fixture("{\"a\":[\(records.joined(separator: ",\n"))]}", dialect)
    for round in 0..<36 {
      let samples = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.sample(&random) }
        .filter { Self.canBeAsked($0, dialect) }
      var query = Query()
      query.sort =
        [
          [SortKey(FieldPath("number"), descending: true)], [SortKey(FieldPath("number"))],
          [SortKey(FieldPath("text"), descending: true)],
          [SortKey(FieldPath("items.number"), descending: true), SortKey(FieldPath("few"))],
          [SortKey(FieldPath("few"))], [],
        ][round % 6]
      var plain = query
      query.criteria.parameters = samples.map(\.parameter)
      plain.criteria.conditions = .object(JSONObject([("and", .array(samples.map { $0.condition(dialect) }))]))
      // The second window of the same filter is found without evaluating it again.
      for window in [Query.Window.page(2, size: 5), .all, .slice(start: -7, end: -2), .page(9, size: 20)] {
        (query.window, plain.window) = (window, window)
        let answer = try database.list("a", query).selection
        let expected = try database.list("a", plain).selection
        #expect(answer.total == expected.total, "\(samples)")
        #expect(answer.records.map(\.string) == expected.records.map(\.string), "\(samples) \(window)")
      }
      try Self.write(&database, dialect, &random)
    }
  }

  private static func write(_ database: inout Database, _ dialect: Dialect, _ random: inout SeededGenerator) throws {
    let ids = try database.list("a", Query()).selection.records.compactMap { record in
      try JSONValue(parsing: record.string)["id"].map { $0.string ?? $0.text(pretty: false) }
    }
    switch (Int.random(in: 0..<3, using: &random), ids.randomElement(using: &random)) {
    case (0, let id?): _ = try database.delete(id, in: "a")
    case (1, let id?): _ = try database.replace(id, in: "a", with: record(1, &random))
    // 1.0 makes up an id for each new record, and here it is always the same.
    case _ where dialect == .classic || !ids.contains("generated"):
      _ = try database.create(record(Int.random(in: 1_000...9_999, using: &random), &random), in: "a")
    default: break
    }
  }

  @Test func `Filters by more members than there are indexes find what reading finds, and keep the indexes`() throws {
    let records = (1...300).map { id in
      "{\"id\":\(id)," + (0..<20).map { "\"m\($0)\":\(id % ($0 + 2))" }.joined(separator: ",") + "}"
    }
    let database = try Database.fixture("{\"a\":[\(records.joined(separator: ","))]}")
    let table = try database.collection("a").indexes.equality
    var query = Query()
    query.criteria.parameters = (0..<20).map { FilterParameter("m\($0)", ["1"]) }
    var known: [ObjectIdentifier] = []
    for _ in 0..<3 {
      #expect(try database.ids(of: "a", query) == ["1"])
      let kept = (0..<20).compactMap { table.admitted(FieldPath("m\($0)")).map { ObjectIdentifier($0) } }
      #expect(kept.count == 16)
      #expect(known.isEmpty || kept == known)
      known = kept
    }
  }

  @Test(arguments: [
    (words: ["sun"], query: "SUN", count: 1), (["s\\u0075n"], "sun", 1), (["\\u0073un"], "sun", 1),
    (["su\\u006e"], "sun", 1), (["s\\u0055\\u004Es"], "sun", 1), (["s\\u0075m", "\\u0073\\u0075"], "sun", 0),
    (["fa\\u00e7ade", "fa\\u00c7\\u0061de", "façade"], "FAÇADE", 3),
    (["fa\\u00e7ada", "fa\\u00e7", "\\u00e8ade"], "façade", 0),
    (["x\\ud83d\\ude00", "\\ud83d\\ude01", "\\ud83d"], "😀", 1), (["a\\ud83db"], "a\u{FFFD}b", 1),
    (["a\\t\\\"b"], "\t\"", 1),
    (["\\nun"], "nun", 0), (["a\\/b"], "a/b", 1),
    (["sun", "moon", "s\\u0075n", "sunny"], "sun", 3), (["x\\\\u0041"], "xa", 0),
    (["sun"], "word", 0),
  ])
  func `A search finds what escapes hide, and not what they merely look like`(
    words: [String], query text: String, count: Int
  ) throws {
    let records = words.enumerated().map { "{\"id\":\($0),\"word\":\"\($1)\"}" }.joined(separator: ", ")
    let database = try Database.fixture("{\"a\":[\(records)]}")
    var query = Query()
    query.criteria.search = text
    #expect(try database.list("a", query).selection.total == count)
    #expect(try database.list("a", Query(("word_like", text))).selection.total == count)
  }

  @Test(arguments: ["ab", "éa", "aaab", "\n\"", "😀a"])
  func `A search of escaped text finds what reading every record finds`(letters: String) throws {
    var random = SeededGenerator(seed: 5)
    func text(_ count: ClosedRange<Int>) -> String {
      String((0..<Int.random(in: count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    }
    func escaped(_ text: String) -> String {
      text.utf16.map { unit in
        let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    let words = (0..<200).map { _ in (0..<8).map { _ in text(1...3) } }
    let records = words.enumerated().map { number, words in
      let word = words.map { word in
        let plain = JSONValue.string(word).text(pretty: false).dropFirst().dropLast()
        return Bool.random(using: &random) ? escaped(word) : String(plain)
      }
      return "{\"word\":\"\(word.joined())\",\"id\":\(number)}"
    }
    let database = try Database.fixture("{\"a\":[\(records.joined(separator: ", "))]}")
    for _ in 0..<100 {
      var query = Query()
      query.criteria.search = text(1...9)
      let expected = words.count { $0.joined().lowercased().contains(query.criteria.search.lowercased()) }
      #expect(try database.list("a", query).selection.total == expected, "\(query.criteria.search)")
    }
  }
}
