import JSONServerValues
import Testing

struct MemberSelectionTests {
  private static let record = #"""
    { "id" : 1, "a": {"b": [ {"c": 1, "d": 2}, 7, [ {"c": 3} ], {} ], "e": null}, "\u0069d": 2, "x.y": 5, "x": {"y": 6} }
    """#

  static let cases: [(names: [[String]], selected: String)] = [
    ([], "{}"),
    ([["none"]], "{}"),
    ([["id"]], #"{"id":1,"\u0069d":2}"#),
    ([["x"], ["id"]], #"{"id":1,"\u0069d":2,"x":{"y": 6}}"#),
    ([["x", "y"], ["x.y"]], #"{"x.y":5,"x":{"y":6}}"#),
    ([["a", "b", "c"]], #"{"a":{"b":[{"c":1},[{"c":3}],{}]}}"#),
    ([["a", "b", "0", "d"], ["a", "b", "1"]], #"{"a":{"b":[{"d":2},7]}}"#),
    ([["a", "b", "1"], ["a", "b", "c"]], #"{"a":{"b":[{"c":1},7,[{"c":3}],{}]}}"#),
    ([["a", "e", "f"]], #"{"a":{}}"#),
    ([["a", "e"], ["a", "e", "f"]], #"{"a":{"e":null}}"#),
    ([["a", "e", "f"], ["a", "e"]], #"{"a":{"e":null}}"#),
    ([["id", "x"]], "{}"),
  ]

  @Test(arguments: cases)
  func `The members that names lead to are kept, in the order of the value`(
    _ names: [[String]], _ selected: String
  ) throws {
    var selection = MemberSelection()
    for way in names { selection.insert(way.map { Array($0.utf8) }) }
    #expect(try ValidJSON(parsing: Array(Self.record.utf8)).selecting(selection).string == selected)
  }

  @Test(arguments: ["[{\"id\":1}]", "7", "null"])
  func `A value that is no object stays as it is`(_ text: String) throws {
    var selection = MemberSelection()
    selection.insert([Array("id".utf8)])
    #expect(try ValidJSON(parsing: Array(text.utf8)).selecting(selection).string == text)
  }
}
