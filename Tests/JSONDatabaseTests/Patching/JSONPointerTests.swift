import JSONDatabase
import JSONServerValues
import Testing

@Suite struct `JSON pointers` {
  static let document = #"""
    {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
    """#

  /// RFC 6901, section 5.
  static let section5 = [
    ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"),
    ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
  ]

  @Test(arguments: section5)
  func `lead to the values of RFC 6901's example`(_ pointer: String, _ value: String) throws {
    let path = JSONValue.string(pointer).text(pretty: false)
    let test = try ValidJSON(parsing: Array(#"[{"op":"test","path":\#(path),"value":\#(value)}]"#.utf8))
    let document = try ValidJSON(parsing: Array(Self.document.utf8))
    let result = try Patch.operations(PatchOperation.all(in: test)).applied(to: document, maximumDepth: 512)
    #expect(JSONValue(result) == JSONValue(document))
  }

  @Test(arguments: ["a", "a/b", "~", "/~", "/~2", "/a/~", "/~a"])
  func `begin with a slash, and escape with ~0 and ~1 alone`(_ text: String) {
    #expect(JSONPointer(text) == nil)
  }
}
