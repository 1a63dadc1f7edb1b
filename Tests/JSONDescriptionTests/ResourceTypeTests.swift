import JSONServerValues
import Testing

@testable import JSONDescription

@Suite struct ResourceTypeTests {
  private func type(_ records: JSONValue...) -> ResourceType {
    ResourceType(name: "posts", kind: .collection, records: records)
  }

  @Test func `Members are in the order of their first appearance`() {
    let type = type(["id": 1, "title": "a"], ["id": 2, "author": "b", "title": "c"])
    #expect(type.record.members.map(\.name) == ["id", "title", "author"])
    #expect(type.record.members.map(\.isRequired) == [true, true, false])
  }

  @Test func `A member that is null is required and nullable`() throws {
    let member = try #require(type(["a": nil], ["a": 1]).record["a"])
    #expect(member.isRequired)
    #expect(member.type == ValueType(alternatives: [.integer], isNullable: true, example: 1))
  }

  @Test(
    arguments: [
      ([1, 2], [.integer]),
      ([1, 2.5], [.number]),
      ([12_345_678_901_234_567_890.0], [.number]),
      ([true, "a", 1], [.boolean, .string(.plain), .integer]),
      ([nil], []),
      ([], []),
      ([[1, "a"], []], [.array(ValueType(alternatives: [.integer, .string(.plain)], example: 1))]),
      (["2024-01-01", "2024-05-01"], [.string(.formatted(.date))]),
    ] as [([JSONValue], [ValueType.Alternative])])
  func `Values are described by every kind they are of`(_ values: [JSONValue], _ expected: [ValueType.Alternative]) {
    #expect(ValueType(of: values).alternatives == expected)
  }

  @Test func `Nested objects are described together`() throws {
    let address = try #require(
      type(["address": ["city": "A", "geo": ["lat": 1]]], ["address": ["city": "B"]]).record["address"])
    guard case .object(let object) = address.type.alternatives.first else {
      Issue.record("no object")
      return
    }
    #expect(object.members.map(\.name) == ["city", "geo"])
    #expect(object["geo"]?.isRequired == false)
  }

  @Test(arguments: [
    (Array(repeating: "draft", count: 10) + Array(repeating: "live", count: 10), StringType.choice(["draft", "live"])),
    (Array(repeating: "draft", count: 19), .plain),
    (Array(repeating: "draft", count: 20), .plain),
    (Array(repeating: "draft", count: 20) + Array(repeating: String(repeating: "prose ", count: 10), count: 2), .plain),
    (Array(repeating: "draft", count: 19) + ["live"], .plain),
    ((0..<40).map { "word \($0 % 8)" }, .choice((0..<8).map { "word \($0)" })),
    ((0..<40).map { "word \($0 % 9)" }, .plain),
  ])
  func `A few words that occur again and again are a choice`(_ strings: [String], _ expected: StringType) {
    #expect(StringType(of: strings) == expected)
  }

  @Test func `The example is the first value that is not a container`() {
    #expect(ValueType(of: [nil, [], "first", "second"]).example == "first")
  }

  @Test(
    arguments: [
      ([["id": 1], ["id": 2]], true), ([["id": 1], ["id": "b"]], false), ([["id": "a"]], false), ([], true),
      ([["name": "no id"]], false),
    ] as [([JSONValue], Bool)])
  func `Ids are integers when all are, or when the next one will be`(_ records: [JSONValue], _ expected: Bool) {
    #expect(ResourceType(name: "a", kind: .collection, records: records).hasIntegerIDs == expected)
  }

  @Test func `What is not an object is ignored`() {
    #expect(type(1, "a", ["id": 1]).record.members.map(\.name) == ["id"])
  }

  @Test(arguments: [(10, 10), (33, 33), (34, 33), (500, 33)])
  func `What is nested in more than 32 levels is described no further`(_ depth: Int, _ described: Int) throws {
    let text = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    var object = type(try JSONValue(parsing: text)).record
    var levels = 0
    while let member = object["a"] {
      levels += 1
      guard case .object(let next)? = member.type.alternatives.first else { break }
      object = next
    }
    #expect(levels == described)
  }
}
