import JSONDatabase
import JSONServerValues
import Testing

struct FillingTests {
  /// 2026-01-31T22:59:58.987Z
  private static let now: Int64 = 1_769_900_398_987

  private static func database(_ text: String, _ rules: [Fill]) throws -> Database {
    var schema = Schema()
    schema.filler = Filler(rules, ids: IDGenerator { "made" }) { Self.now }
    return try Database(parsing: UTF8Slice(text), schema: schema, ids: IDGenerator { "id" })
  }

  @Test(arguments: [
    ("", #""2026-01-31T22:59:58Z""#), (#","at":"2024-01-05""#, #""2026-01-31""#),
    (#","at":"2024-01-05T10:00""#, #""2026-01-31T22:59""#),
    (#","at":"2024-01-05 10:00:00""#, #""2026-01-31 22:59:58""#),
    (#","at":"2024-01-05T10:00:00.5Z""#, #""2026-01-31T22:59:58.9Z""#),
    (#","at":"2024-01-05T10:00:00.123456Z""#, #""2026-01-31T22:59:58.987000Z""#),
    (#","at":"2024-01-05T10:00:00+02:00""#, #""2026-02-01T00:59:58+02:00""#),
    (#","at":"2024-01-05T10:00:00-0530""#, #""2026-01-31T17:29:58-0530""#), (#","at":1700000000000"#, "1769900398987"),
    (#","at":1700000000"#, "1769900398"), (#","at":1700000000.25"#, "1769900398.987"),
    (#","at":"soon","other":"2024-01-05T10:00:00.000Z""#, #""2026-01-31T22:59:58.987Z""#),
    (#","at":7,"day":"2024-01-05""#, #""2026-01-31T22:59:58Z""#),
  ])
  func `A time has the form of those that are there`(_ members: String, _ expected: String) throws {
    let rule = Fill("at", of: "a", with: .now)
    var database = try Self.database("{\"a\":[{\"id\":1\(members)}]}", [rule])
    #expect(try database.create("{}", in: "a").text.string == "{\"at\":\(expected),\"id\":2}")
  }

  @Test func `A number follows the largest that is there, and each of several changes gets its own`() throws {
    let rules = [
      Fill("n", with: .increment),
      Fill("v", of: "a", with: .increment, onEveryChange: true),
    ]
    var database = try Self.database(#"{"a":[{"id":1,"n":5},{"id":2,"n":"9"},{"id":3,"n":2.5}]}"#, rules)
    #expect(try database.create("{}", in: "a").text.string == #"{"n":6,"v":1,"id":4}"#)
    _ = try database.delete("4", in: "a")
    #expect(try database.create("{}", in: "a").text.string == #"{"n":6,"v":1,"id":4}"#)
    var query = Query()
    query.criteria.isForChange = true
    let selection = try database.list("a", query).selection
    let written = try database.edit(selection, in: "a", by: .merge(ValidJSON(#"{"x":0}"#)))
    #expect(written.map { $0.text.member(Array("v".utf8))?.string } == ["2", "3", "4", "5"])
  }
}
