import JSONServerValues
import Testing

struct JSONValueTests {
  @Test func `Members keep their order and numbers their text`() throws {
    let text = #"{"z":1.0,"a":[1e3,-0,{"10":true,"9":null}],"__proto__":"é"}"#
    #expect(try JSONValue(parsing: text).text(pretty: false) == text)
  }

  @Test func `A name given twice keeps its first place and its last value`() throws {
    #expect(try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#).text(pretty: false) == #"{"a":3,"b":2}"#)
  }

  @Test func `Setting a member replaces, appends or removes it`() {
    var object = JSONObject([("a", 1), ("b", 2)])
    object["a"] = 3
    object["c"] = nil
    object["d"] = ["e": [nil, true, 1.5]]
    object["b"] = nil
    #expect(object.names == ["a", "d"])
    #expect(JSONValue.object(object).text(pretty: false) == #"{"a":3,"d":{"e":[null,true,1.5]}}"#)
  }

  @Test func `Members and elements are read by name and position`() throws {
    let value = try JSONValue(parsing: #"{"a":[10,{"b":"c"}]}"#)
    #expect(value["a"]?[0]?.int == 10)
    #expect(value["a"]?[1]?["b"]?.string == "c")
    #expect(value["a"]?[2] == nil)
    #expect(value["a"]?[-1] == nil)
    #expect(value["b"] == nil)
    #expect(value[0] == nil)
  }

  @Test(arguments: [
    (#""\ud83d\ude00""#, "😀"), (#""\uD83D""#, "\u{FFFD}"), (#""\uDE00x""#, "\u{FFFD}x"), (#""\uD83D\n""#, "\u{FFFD}\n"),
    (#""\uD83D\uD83D\uDE00""#, "\u{FFFD}😀"), (#""\uDE00\uDE00""#, "\u{FFFD}\u{FFFD}"),
    (#""\u0000""#, "\0"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u00E9\u2028""#, "\u{E9}\u{2028}"),
  ])
  func `Escapes are resolved, lone surrogates to U+FFFD`(_ token: String, _ expected: String) throws {
    #expect(try JSONValue(parsing: token) == .string(expected))
  }

  @Test(arguments: [
    ("\"\\/", #""\"\\/""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#), ("\0\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""),
    ("é\u{2028}😀", "\"é\u{2028}😀\""), ("", #""""#),
  ])
  func `A string is escaped as JSON.stringify escapes it`(_ string: String, _ token: String) {
    #expect(JSONValue.string(string).text() == token)
  }

  @Test func `Names are compared by code points`() throws {
    let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(value.object?.count == 2)
    #expect(value["\u{E9}"] == 1)
    #expect(value["e\u{301}"] == 2)
  }
}
