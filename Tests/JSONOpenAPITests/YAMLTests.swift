import JSONServerValues
import Testing

@testable import JSONOpenAPI

@Suite struct YAMLTests {
  /// After cases of the public YAML test suite, by its names where there is one.
  static let cases: [(text: String, json: String)] = [
    ("- a\n- 1\n- 1.5\n- true\n- ~\n-\n", #"["a",1,1.5,true,null,null]"#),
    (
      "american:\n  - Boston\n  - Detroit\nnational:\n- Mets\n",
      #"{"american":["Boston","Detroit"],"national":["Mets"]}"#
    ),
    (
      "-\n  name: Mark\n  hr:   65\n- name: Sammy\n  hr: 63 # best\n",
      #"[{"name":"Mark","hr":65},{"name":"Sammy","hr":63}]"#
    ),
    (
      "Mark: {hr: 65, avg: 0.278}\nlist: [name , hr, \"a: b\"]\n",
      #"{"Mark":{"hr":65,"avg":0.278},"list":["name","hr","a: b"]}"#
    ),
    ("# comment\n---\nkey: |\n  \\//||\\/||\n  // ||  ||__\n", #"{"key":"\\//||\\/||\n// ||  ||__\n"}"#),
    (
      "key: >\n  Mark's\n  year\n  was\n\n  great\n    more\n  less\n",
      #"{"key":"Mark's year was\ngreat\n  more\nless\n"}"#
    ),
    ("a: >-\n  x\n  y\n\nb: |+\n  z\n\nc: 1\n", #"{"a":"x y","b":"z\n\n","c":1}"#),
    ("a: |2\n    x\n   y\n", #"{"a":"  x\n y\n"}"#),
    (
      "unicode: \"Sosa did fine.\\u263A\"\ncontrol: \"\\b1998\\t\"\nsingle: '\"Howdy!\" he cried. It''s'\n",
      #"{"unicode":"Sosa did fine.☺","control":"\b1998\t","single":"\"Howdy!\" he cried. It's"}"#
    ),
    (
      "plain:\n  This text\n  is folded\n\n  here\nquoted: \"So\n  does this\\n\"\n",
      #"{"plain":"This text is folded\nhere","quoted":"So does this\n"}"#
    ),
    (
      "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  l: 2\nd: &y\n  m: 3\ne: [*y, *x]\n",
      #"{"a":{"k":1},"b":{"k":1},"c":{"l":2,"k":1},"d":{"m":3},"e":[{"m":3},{"k":1}]}"#
    ),
    ("- - a\n  - b\n- - c\n", #"[["a","b"],["c"]]"#),
    ("200: ok\n\"404\": no\n'x': y\n", #"{"200":"ok","404":"no","x":"y"}"#),
    (
      "a: 0x1F\nb: 0o17\nc: +12\nd: .5\ne: 1e3\nf: 12.\ng: 012\nh: 1.2.3\ni: yes\nj: !!str 5\n",
      #"{"a":31,"b":15,"c":12,"d":0.5,"e":1e3,"f":12,"g":12,"h":"1.2.3","i":"yes","j":"5"}"#
    ),
    ("url: http://a.b/c#d\nempty: \nlast: 'x # y'\n", #"{"url":"http://a.b/c#d","empty":null,"last":"x # y"}"#),
    ("{\n  \"a\": [1, 2,\n    {\"b\": null}], \"c\":\"\\ud83d\\ude00\\/\"}\n", #"{"a":[1,2,{"b":null}],"c":"😀/"}"#),
    ("a:\r\n  - b\r\n  - c: |\r\n      x\r\n      y\r\n", #"{"a":["b",{"c":"x\ny\n"}]}"#),
    ("%YAML 1.2\n---\na: [\n  b, # c\n  d\n]\n...\n", #"{"a":["b","d"]}"#),
    ("", "null"),
  ]

  @Test(arguments: cases)
  func `A document is read as the JSON that it means`(_ test: (text: String, json: String)) throws {
    let value = try YAMLReader.value(of: Array(test.text.utf8), name: "a.yaml")
    #expect(value == (try JSONValue(parsing: test.json)), "\(value.text(pretty: false))")
  }

  static let faults: [(text: String, fault: String)] = [
    ("a: 1\na: 2\n", "a.yaml:2:1: The key 'a' is here twice; remove one."),
    ("a:\n\tb: 1\n", "a.yaml:2:1: A tab cannot indent a line; write spaces."),
    ("a: b: c\n", "a.yaml:1:4: A second ':' stands in this line; put the text into quotes."),
    ("a: *b\n", "a.yaml:1:4: The alias '*b' has no anchor before it; write '&b' at the value."),
    ("a: [1, 2\n", "a.yaml:1:4: The '[' is not closed."),
    ("a: 'x\n", "a.yaml:1:4: The quotes are not closed."),
    ("a: 1\n---\nb: 2\n", "a.yaml:2:1: A second document begins here; keep one in a file."),
    ("a: !thing 1\n", "a.yaml:1:4: The tag '!thing' is not read; remove it."),
    (
      "a: 1\n   b: 2\n",
      "a.yaml:2:5: A key and a ':' cannot continue the text before; check the indentation, or put the text into quotes."
    ),
    ("a:\n  b: 1\n c: 2\n", "a.yaml:3:2: The line is indented too far, or the line before lacks a ':'."),
    ("? a\n: b\n", "a.yaml:1:1: A key with '?' is not read; write 'name: value'."),
    ("a: @b\n", "a.yaml:1:4: A text cannot begin with '@'; put it into quotes."),
  ]

  @Test(arguments: faults)
  func `A fault names its line, its column and what to do`(_ test: (text: String, fault: String)) {
    let error = #expect(throws: DocumentFault.self) { try YAMLReader.value(of: Array(test.text.utf8), name: "a.yaml") }
    #expect(error?.description == test.fault)
  }

  static let places: [(text: String, path: [String], place: String)] = [
    ("a:\n  - x\n  - b: 1\n", ["a", "1", "b"], "3:8"),
    ("a:\n  - x\n  - b: 1\n", ["a"], "1:1"),
    ("a:\n  - x\n  - b: 1\n", ["a", "2", "c"], "1:1"),
    ("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n", ["c", "b"], "2:4"),
    ("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n", ["d", "e"], "3:16"),
    (#"{"ä": [1, {"b": 2}], "c": 3}"#, ["c"], "1:27"),
    (#"{"ä": [1, {"b": 2}], "c": 3}"#, ["ä", "1", "b"], "1:17"),
    ("\u{FEFF}a: 1\n", ["a"], "1:4"),
    ("", ["a"], "1:1"),
  ]

  @Test(arguments: places)
  func `A value has a place, or the one of the value around it`(_ test: (text: String, path: [String], place: String)) {
    var places = DocumentPlaces(in: Array(test.text.utf8), name: "a.yaml")
    // The places of a line are found in any order.
    for path in [test.path, [], test.path] {
      let fault = places.fault("No.", at: path)
      #expect(path.isEmpty || fault.description == "a.yaml:\(test.place): No.")
    }
  }

  @Test func `Aliases that make too many values are refused`() {
    let levels = (1...9).map {
      "a\($0): &a\($0) [" + Array(repeating: "*a\($0 - 1)", count: 10).joined(separator: ", ") + "]"
    }
    let text = "a0: &a0 [x]\n" + levels.joined(separator: "\n")
    #expect(throws: DocumentFault.self) { try YAMLReader.value(of: Array(text.utf8), name: "a.yaml") }
  }
}
