import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

/// Texts that are written slice by slice.
@Suite(.calculates) struct SlicedTextTests {
  @Test(arguments: 0..<6)
  func `Slices of any size are the bytes of the whole text`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var database = try Self.database(&random)
    for text in try Self.texts(of: &database) {
      var whole: [UInt8] = []
      text.append(to: &whole)
      let slices = Self.slices(of: text, &random)
      #expect(Array(slices.joined()) == whole)
      #expect(try JSONValue(parsing: whole).utf8Text(.pretty) == whole)
    }
  }

  @Test func `A large value is divided, a small one is not`() throws {
    let numbers = JSONValue.array((0..<100_000).map { .number(JSONNumber($0)) })
    let small = JSONValue.object(JSONObject([("id", 1), ("a", .string(String(repeating: "a", count: 1_000)))]))
    let text = SlicedText([.value(ValidJSON(writing: numbers), level: 0), .value(ValidJSON(writing: small), level: 0)])
    var cursor = SliceCursor(text)
    var slices: [[UInt8]] = []
    while !cursor.isAtEnd {
      var slice: [UInt8] = []
      cursor.append(toCount: 10_000, to: &slice)
      slices.append(slice)
    }
    #expect(slices.count > 20)
    #expect(slices.allSatisfy { $0.count < 200_000 })
    #expect(Array(slices.joined()) == numbers.utf8Text(.pretty) + small.utf8Text(.pretty))
  }

  @Test func `A text shows the version that it was made of, whatever is written meanwhile`() throws {
    var database = try Database.fixture(#"{"a": [{"id": 1, "n": 0}, {"id": 2, "n": 0}, {"id": 3, "n": 0}]}"#)
    var expected: [UInt8] = []
    database.text.pretty.append(to: &expected)
    var cursor = SliceCursor(database.text.pretty)
    var output: [UInt8] = []
    while !cursor.isAtEnd {
      cursor.append(toCount: output.count + 1, to: &output)
      _ = try database.merge(#"{"n": 1}"#, into: "1", in: "a")
      _ = try database.merge(#"{"n": 1}"#, into: "3", in: "a")
      _ = try database.create("{}", in: "a")
    }
    #expect(output == expected)
  }

  @Test func `The size of a list is estimated though its first records are gone`() throws {
    let records = (1...300).map { #"{"id": \#($0), "n": "xxxxxxxxxx"}"# }
    var database = try Database.fixture("{\"a\": [\(records.joined(separator: ","))]}")
    for id in 1...100 { _ = try database.delete(String(id), in: "a") }
    let list = try database.list("a", Query()).related.records
    let count = list.byteCount(upTo: .max)
    #expect((count * 9 / 10...count * 11 / 10).contains(list.estimatedByteCount))
  }

  /// Two collections, one with empty slots between its records, and an object; some values are large.
  private static func database(_ random: inout SeededGenerator) throws -> Database {
    let records = (1...40).map { JSONValue.object(record($0, &random)) }
    let text = JSONObject([
      ("a", .array(records)), ("none", .array([])), ("b", .array(Array(records.prefix(3)))),
      ("c", .object(record(1, &random))),
    ])
    let layout: JSONLayout = Bool.random(using: &random) ? .pretty : .compact
    var database = try Database(
      parsing: UTF8Slice(JSONValue.object(text).utf8Text(layout)), schema: Schema(), ids: .constant)
    for id in 1...40 where Int.random(in: 0..<4, using: &random) == 0 {
      // Some are gone with the one that they refer to.
      _ = try? database.delete("\(id)", in: "a")
    }
    return database
  }

  private static func record(_ id: Int, _ random: inout SeededGenerator) -> JSONObject {
    let isLarge = Int.random(in: 0..<20, using: &random) == 0
    let numbers = (0..<Int.random(in: 0...(isLarge ? 30_000 : 3), using: &random)).map {
      JSONValue.number(JSONNumber($0))
    }
    return JSONObject([
      ("id", .number(JSONNumber(id))), ("aId", .number(JSONNumber(Int.random(in: 1...40, using: &random)))),
      ("numbers", .array(numbers)), ("in", .object(JSONObject([("text", "h\u{E9}llo"), ("none", .array([]))]))),
    ])
  }

  /// Everything, a list, a filtered one and one with what is related to it.
  private static func texts(of database: inout Database) throws -> [SlicedText] {
    var texts = [database.text.pretty]
    var related = Query()
    related.relations = [RelationRequest(.embed, "b")]
    var sorted = Query()
    sorted.sort = [SortKey(FieldPath("aId"))]
    for query in [Query(), Query(("aId_gte", "20")), Query(("aId", "none")), sorted, related] {
      texts.append(SlicedText([.records(try database.list("a", query).related.records, level: 0)]))
    }
    return texts
  }

  private static func slices(of text: SlicedText, _ random: inout SeededGenerator) -> [[UInt8]] {
    var slices: [[UInt8]] = []
    var cursor = SliceCursor(text)
    while !cursor.isAtEnd {
      let count = Int.random(in: 1...100_000, using: &random)
      // Some memory is too small.
      let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Int.random(in: 1...200_000, using: &random))
      defer { memory.deallocate() }
      var slice = GatheredText(memory)
      cursor.append(toCount: count, to: &slice)
      let (held, overflow) = slice.result()
      #expect(held == 0 || overflow.isEmpty)
      slices.append(Array(memory[..<held]) + overflow)
    }
    return slices
  }
}
