import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

@Suite(.calculates) struct SharingTests {
  /// Copies that share what was read of the ids, each changed at random beside a database that nobody shares.
  @Test(arguments: 0..<8)
  func `Copies that are changed find the ids that a database of their own would`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let records = (1...1_500).map { JSONValue.object(JSONObject([("id", .number(JSONNumber($0)))])) }
    let data = JSONValue.object(JSONObject([("posts", .array(records.shuffled(using: &random)))]))
    let text = UTF8Slice(data.utf8Text())
    let ids = IDGenerator { "x" }
    let shared = try Database(parsing: text, ids: ids)
    _ = shared.hasRecord("1", in: "posts")
    for _ in 0..<3 {
      var copy = shared.forked()
      var alone = try Database(parsing: text, ids: ids)
      var present = Set(1...1_500)
      for _ in 0..<400 {
        var id = Int.random(in: 1...1_550, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          let created = try copy.create(.emptyObject, in: "posts", ids: ids)
          #expect(try alone.create(.emptyObject, in: "posts", ids: ids).id == created.id)
          present.insert(try #require(Int(created.id)))
          continue
        case 1: id = present.max() ?? 0
        default: break
        }
        let wasThere = [try? copy.delete(String(id), in: "posts"), try? alone.delete(String(id), in: "posts")]
          .map { $0 != nil }
        #expect(wasThere == Array(repeating: present.remove(id) != nil, count: 2))
        if id.isMultiple(of: 40) { copy.forgetIndexes() }
      }
      #expect(copy.value == alone.value)
    }
    #expect(shared.value == data)
  }
}
