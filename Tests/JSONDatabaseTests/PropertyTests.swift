import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

@Suite(.calculates) struct PropertyTests {
  private static let words =
    [
      "Alpha", "beta", "a,b", "", "50", "9", "true", "null", "h\u{E9}llo", "\u{1F600} x", "a\"b\\c", "0", "Beta", "1.0",
      "2026-01-01T08:30:00",
    ] + ReferenceDatabase.instants.keys.sorted()
  private static let paths = [
    "n", "s", "any", "in.s", "list", "list.0", "checked_in", "missing", "id", "tags.s", "tags.1.s", "tags.s.0",
    "in.in.s",
  ]
  private static let comparisons: [Comparison?] = [
    nil, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .contains, .startsWith, .endsWith,
    .like, .exists,
  ]

  private static func scalar(_ random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .null
    case 1: .bool(.random(using: &random))
    case 2: .number(JSONNumber(Int.random(in: -3...60, using: &random)))
    case 3:
      .number(
        ["9.0", "1e1", "-0", "0.5", "9007199254740993", "1e400"].randomElement(using: &random).flatMap(
          JSONNumber.init(text:))
          ?? JSONNumber(1))
    default: .string(words.randomElement(using: &random) ?? "")
    }
  }

  private static func members(_ random: inout SeededGenerator) -> JSONObject {
    var object = JSONObject()
    func often(_ random: inout SeededGenerator) -> Bool { Int.random(in: 0..<4, using: &random) > 0 }
    if often(&random) {
      object["n"] = often(&random) ? .number(JSONNumber(Int.random(in: 0...9, using: &random))) : .null
    }
    if often(&random) { object["s"] = .string(words.randomElement(using: &random) ?? "") }
    if often(&random) { object["any"] = scalar(&random) }
    if often(&random) {
      object["in"] = often(&random) ? .object(JSONObject([("s", scalar(&random))])) : scalar(&random)
    }
    if often(&random) {
      object["list"] = .array((0..<Int.random(in: 0...3, using: &random)).map { _ in scalar(&random) })
    }
    if !often(&random) { object["checked_in"] = .bool(true) }
    if often(&random) {
      object["tags"] = .array(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          often(&random) ? .object(JSONObject([("s", scalar(&random))])) : scalar(&random)
        })
    }
    return object
  }

  @Test(arguments: 0..<15)
  func `Queries select what a plain reading of all records selects, whatever was written`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let initial = (1...Int.random(in: 1...12, using: &random)).map { id in
      JSONValue.object(
        JSONObject([("id", JSONValue.number(JSONNumber(id)))] + Self.members(&random).map { ($0.name, $0.value) }))
    }
    let text = JSONValue.object(JSONObject([("a", .array(initial))])).text(pretty: seed.isMultiple(of: 2))
    let start = try Database.fixture(text)
    var database = start
    var reference = ReferenceDatabase(records: initial)
    for round in 0..<6 {
      for _ in 0..<25 { try Self.compareFilters(&database, reference, &random) }
      try Self.compareWhole(&database, reference, &random)
      for _ in 0..<5 { try Self.write(&database, &reference, &random) }
      #expect(try JSONValue(parsing: database.string)["a"] == .array(reference.records), "round \(round)")
    }
    database = start
    #expect(database.string == text)
    reference.records = initial
    for _ in 0..<50 { try Self.compareFilters(&database, reference, &random) }
  }

  private static func answer(_ database: inout Database, _ query: Query) throws -> [JSONValue] {
    try database.list("a", query).selection.records.map { try JSONValue(parsing: $0.string) }
  }

  private static func compareFilters(
    _ database: inout Database, _ reference: ReferenceDatabase, _ random: inout SeededGenerator
  ) throws {
    let path = paths.randomElement(using: &random) ?? "n"
    let comparison = comparisons.randomElement(using: &random) ?? nil
    let operand =
      comparison == .exists
      ? String(Bool.random(using: &random))
      : Bool.random(using: &random)
        ? words.randomElement(using: &random) ?? "" : ReferenceDatabase.text(scalar(&random))
    // The list of `in` is trimmed and may hold nothing; the reference knows neither.
    guard comparison != .isIn || !operand.isEmpty && !operand.contains(" ") else { return }
    // To the reference a pattern is a plain text.
    guard comparison != .like || !operand.contains(where: { ".\\+[".contains($0) }) else { return }
    let spelling = [":op", "_op", "[op]"].randomElement(using: &random) ?? ""
    let name = path + (comparison.map { spelling.replacing("op", with: $0.rawValue) } ?? "")
    let answer = try answer(&database, Query((name, operand)))
    #expect(answer == reference.filtered(path, comparison, operand), "\(name)=\(operand)")
  }

  private static func compareWhole(
    _ database: inout Database, _ reference: ReferenceDatabase, _ random: inout SeededGenerator
  ) throws {
    for word in words where !word.isEmpty {
      var query = Query()
      query.criteria.search = word
      #expect(try answer(&database, query) == reference.found(word), "q=\(word)")
    }
    for descending in [false, true] {
      var query = Query()
      query.sort = [SortKey(FieldPath("n"), descending: descending)]
      let sorted = reference.sorted(byNumber: "n", descending: descending)
      #expect(try answer(&database, query) == sorted)
      query.window = .page(2, size: 3)
      #expect(try answer(&database, query) == Array(sorted.dropFirst(3).prefix(3)))
    }
  }

  private static func write(
    _ database: inout Database, _ reference: inout ReferenceDatabase, _ random: inout SeededGenerator
  ) throws {
    let body = members(&random)
    let text = JSONValue.object(body).text(pretty: .random(using: &random))
    let place = reference.records.indices.randomElement(using: &random)
    let id = place.flatMap { reference.records[$0]["id"]?.text() }
    switch (Int.random(in: 0..<4, using: &random), place, id) {
    case (0, let place?, let id?):
      _ = try database.delete(id, in: "a")
      reference.records.remove(at: place)
    case (1, let place?, let id?):
      _ = try database.replace(id, in: "a", with: text)
      var record = body
      record["id"] = reference.records[place]["id"]
      reference.records[place] = .object(record)
    case (2, let place?, let id?):
      _ = try database.merge(text, into: id, in: "a")
      var record = reference.records[place].object ?? JSONObject()
      for (name, value) in body { record[name] = value }
      reference.records[place] = .object(record)
    default:
      _ = try database.create(text, in: "a")
      var record = body
      record["id"] = .number(JSONNumber((reference.records.compactMap { $0["id"]?.int }.max() ?? 0) + 1))
      reference.records.append(.object(record))
    }
  }
}
