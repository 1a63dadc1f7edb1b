import JSONDatabase
import JSONServerValues
import Testing

@Suite struct `Merge patches` {
  /// RFC 7396, appendix A: what there is, the patch, the result.
  static let appendix = [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    // Section 3
    (
      #"{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"x"}"#,
      #"{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}"#,
      #"{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"x","phoneNumber":"+01-123-456-7890"}"#
    ),
  ]

  /// What the RFC leaves to the reader.
  static let more = [
    (#"{"a":1.0,"b":"\u0041","c":[ 1 ]}"#, #"{"d":1e2}"#, #"{"a":1.0,"b":"A","c":[1],"d":1e2}"#),
    (#"{"\u0061":1}"#, #"{"a":2}"#, #"{"a":2}"#),
    (#"{"a":1}"#, #"{"\u0061":null}"#, "{}"),
    (#"{"a":1,"a":2,"b":3}"#, #"{"a":null}"#, #"{"b":3}"#),
    (#"{"a":1}"#, #"{"a":null,"a":2}"#, #"{"a":2}"#),
    (#"{"a":[null]}"#, #"{"a":[null,{"b":null}]}"#, #"{"a":[null,{"b":null}]}"#),
    (#"{"a":1}"#, #"{"a":{"b":{"c":1,"d":null}}}"#, #"{"a":{"b":{"c":1}}}"#),
    (#"{"":1,"/":2}"#, #"{"":null,"~":3}"#, #"{"/":2,"~":3}"#),
    (#"{"a":1}"#, "{}", #"{"a":1}"#),
  ]

  @Test(arguments: appendix + more)
  func `change a document as RFC 7396 says`(_ document: String, _ patch: String, _ expected: String) throws {
    let merged = try JSONValue(parsing: patch).merged(into: try JSONValue(parsing: document))
    #expect(merged.text(pretty: false) == expected)
  }
}
