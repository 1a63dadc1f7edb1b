import JSONDescription
import JSONServerValues
import Testing

struct ShapeComparisonTests {
  @Test(arguments: [
    // What the file has, what the API has, and what differs, with the place in the file.
    (#"[{"a": 1}]"#, #"[{"a": 2}]"#, []),
    (#"[{"a": 1}]"#, #"[{"a": "x"}]"#, [#"2 "a" is a number here, and a text at 1"#]),
    (#"[{"a": 1}, {"a": "x"}]"#, #"[{"a": 2}]"#, [#"12 "a" is a text here, and a number at 1"#]),
    (#"[{"a": 1}, {"a": "x"}]"#, #"[{"a": "y"}, {"a": 2}]"#, []),
    (#"[{"a": 1}]"#, #"[{"a": 1.5}]"#, [#"2 "a" is a whole number here, and one with a fraction at 1"#]),
    (#"[{"a": 1.5}]"#, #"[{"a": 1}]"#, []),
    (#"[{"a": 1}]"#, #"[{"a": null}]"#, [#"2 "a" is a number here, and null at 1"#]),
    (#"[{"a": null}]"#, #"[{"a": 1}]"#, []),
    (
      #"[{"a": "2026-01-05"}]"#, #"[{"a": "2026-01-05T10:00:00Z"}]"#, [#"2 "a" is a date here, and a date-time at 1"#]
    ),
    (#"[{"a": "soon"}]"#, #"[{"a": "2026-01-05"}]"#, [#"2 "a" is a text here, and a date at 1"#]),
    (#"[{"a": "2026-01-05"}]"#, #"[{"a": "soon"}]"#, [#"2 "a" is a date here, and another text at 1"#]),
    (#"[{"a": "a@example.com"}]"#, #"[{"a": "nobody"}]"#, []),
    (#"[{"a": 1, "b": 1}]"#, #"[{"a": 1}]"#, [#"10 "b" is here, and not at 1"#]),
    (#"[{"a": 1, "b": 1}]"#, #"[{"a": 1}, {"a": 1}]"#, [#"10 "b" is here, and in none of 2 samples from /x"#]),
    (#"[{"a": 1}]"#, #"[{"a": 1}, {"a": 1, "b": 1}]"#, [#"1 "b" is at 2, and not here"#]),
    (
      #"[{"a": 1}, {}]"#, #"[{"a": 1}, {"a": 1}]"#, [#"11 "a" is in each of 2 samples from /x, and not here"#]
    ),
    (#"[{"a": 1}, {}]"#, #"[{"a": 1}, {}]"#, []),
    (#"[{"a": {"b": [1]}}]"#, #"[{"a": {"b": ["x"]}}]"#, [#"14 "a.b[]" is a number here, and a text at 1"#]),
    (
      #"[{"a": [{"b": 1}]}]"#, #"[{"a": [{"b": true}]}]"#, [#"9 "a[].b" is a number here, and a boolean at 1"#]
    ),
    (#"[{"a": []}]"#, #"[{"a": [1]}]"#, []),
    (#"[{"a": {}}]"#, #"[{"a": []}]"#, [#"2 "a" is an object here, and a list at 1"#]),
    (#"[]"#, #"[{"a": 1}]"#, []), (#"[{"a": 1}]"#, #"[]"#, []),
  ])
  func `What a sample contradicts is a difference, once and where it begins`(
    _ file: String, _ api: String, _ expected: [String]
  ) throws {
    let own = try #require(try ValidJSON(parsing: Array(file.utf8)).elements)
    let samples = try #require(try ValidJSON(parsing: Array(api.utf8)).elements).enumerated().map {
      (place: "\($0.offset + 1)", value: $0.element)
    }
    let differences = ShapeComparison.differences(of: own, named: "posts", from: samples, at: "/x")
    #expect(differences.map { "\($0.offset) \($0.message)" } == expected)
  }

  @Test func `A resource of another kind is named by its name`() throws {
    let own = try ValidJSON(parsing: Array("{}".utf8))
    let sample = (place: "/posts", value: try ValidJSON(parsing: Array("[]".utf8)))
    #expect(
      ShapeComparison.differences(of: [own], named: "posts", from: [sample], at: "/posts").map(\.message)
        == [#""posts" is an object here, and a list at /posts"#])
  }
}
