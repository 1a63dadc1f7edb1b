import Foundation
import JSONServerValues
import Testing

struct NaughtyStringTests {
  @Test func `Every naughty string survives being written and read`() throws {
    let bytes = try Fixture.bytes("blns.json")
    let strings = try #require(try JSONValue(parsing: bytes).array)
    let expected = try JSONDecoder().decode([String].self, from: Data(bytes))
    #expect(strings.count == expected.count)
    for (string, expected) in zip(strings.map(\.string), expected) {
      #expect(string.map { Array($0.utf8) } == Array(expected.utf8))
      let object = JSONValue.object(JSONObject([(expected, .string(expected))]))
      let copy = try JSONValue(parsing: object.text())
      #expect(copy.object?.names.map { Array($0.utf8) } == [Array(expected.utf8)])
      #expect(copy[expected]?.string.map { Array($0.utf8) } == Array(expected.utf8))
    }
  }
}
