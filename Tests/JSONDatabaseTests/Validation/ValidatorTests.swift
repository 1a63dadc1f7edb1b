import JSONServerValues
import Testing

@testable import JSONDatabase

struct ValidatorTests {
  private func findings(_ text: String) -> [String] {
    Validator().findings(in: UTF8Slice(text)).map { "\($0.severity) \($0)" }
  }

  @Test(arguments: [
    "{}",
    #"{"posts": [], "profile": {}, "$schema": "x"}"#,
    #"{"posts": [{"id": 1}, {"id": 2}], "comments": [{"id": "a", "postId": 1}, {"id": "b", "postId": null}]}"#,
    #"{"posts": [{"id": 1}], "comments": [{"id": 1, "post_id": "1"}]}"#,
    #"{"posts": [{"id": 1, "postId": 101}, {"id": 101, "postId": 5}]}"#,
    #"{"a": [{"id": 1, "x": {"y": 1, "z": {"y": 1}}, "list": ["x", "x"]}]}"#,
  ])
  func `A sound file has no findings`(_ text: String) {
    #expect(findings(text) == [])
  }

  @Test(arguments: [
    ("{\"a\": [1,}", "error 1:10: expected a value, found '}'"),
    ("", "error 1:1: the file is empty; write {} or {\"posts\": []} into it"),
    ("\u{FEFF}\n ", "error 2:2: the file is empty; write {} or {\"posts\": []} into it"),
    ("{\"db\": []}", "warning 1:2: the address /db does not lead to the resource 'db'; rename it"),
    ("{\"..\": []}", "warning 1:2: the address /.. does not lead to the resource '..'; rename it"),
    ("{\"a\": [{\"id\": \"\"}]}", "warning 1:15: the 'id' of record 1 of 'a' is empty, and so no address"),
    ("\n 1", "error 2:2: the file must hold a JSON object, such as {\"posts\": []}"),
    (
      "\n [1]",
      "error 2:2: this array has no name; write {\"posts\": [ … ]}, or keep it in a file with the name, such as posts.json"
    ),
    ("{\n  \"n\": 5}", "error 2:8: 'n' is a number; a resource is an array of records or an object"),
    (
      "{\"a/b\": []}",
      "error 1:2: the key 'a/b' holds a slash, which no address can have; rename it"
    ),
    ("{\"\": []}", "error 1:2: a resource needs a name; this key is empty"),
    ("{\"a\": [], \"a\": []}", "error 1:11: 'a' is given twice; rename one of the two or join them"),
    (
      "{\"a\": [{\"id\": 1},\n {\"id\": \"1\"}]}",
      "warning 2:9: record 2 of 'a' has the id 1 of record 1, and cannot be reached"
    ),
    ("{\"a\": [{}]}", "warning 1:8: record 1 of 'a' has no 'id', and so no address"),
    (
      "{\"a\": [{}, {\"id\": 1}, {}, {}]}", "warning 1:8: record 1 and 2 more of 'a' have no 'id', and so no address"
    ),
    (
      "{\"cars\": [{\"n\": 1, \"_id\": \"a\"}, {\"n\": 1, \"_id\": \"b\"}]}",
      "warning 1:11: record 1 and 1 more of 'cars' have no 'id', and so no address; all have '_id': start the server with Server.Configuration.idName for _id, or, for this resource alone, Server.Configuration.idNames for cars=_id"
    ),
    (
      "{\"a\": [{\"id\": \"..\"}]}",
      "warning 1:15: the 'id' of record 1 of 'a' is '..', which has no address; choose another"
    ),
    ("{\"a\": [{\"id\": null}]}", "warning 1:15: the 'id' of record 1 of 'a' is null"),
    ("{\"a\": [5]}", "warning 1:8: element 1 of 'a' is a number; only objects have an address"),
    (
      "{\"posts\": [], \"comments\": [{\"id\": 1, \"postId\": 9}]}",
      "warning 1:48: record 1 of 'comments' refers to 9 of 'posts', which is not there"
    ),
    (
      "{\"a\": [{\"id\": 1, \"b\": {\"é\": 1, \"\\u00e9\": 2}}]}",
      "warning 1:32: the member 'é' is given twice; some programs read the first, others the last"
    ),
  ])
  func `What would be refused or surprise is reported with its place`(_ text: String, _ expected: String) {
    #expect(findings(text).first == expected)
  }

  @Test(arguments: [
    ("cars", "_id"), ("cars", "uuid"), ("cars", "key"), ("cars", "carId"), ("cars", "car_id"), ("boxes", "boxId"),
  ])
  func `A member in place of the id is proposed once`(_ resource: String, _ member: String) {
    let found = findings("{\"\(resource)\": [{\"\(member)\": \"a\"}, {\"\(member)\": \"b\"}]}")
    #expect(found.count == 1)
    #expect(found.first?.contains("all have '\(member)': ") == true)
    #expect(found.first?.contains("idNames for \(resource)=\(member)") == true)
  }

  @Test(arguments: [
    #"{"cars": [{"_id": 1}, {"_id": 1}]}"#, #"{"cars": [{"_id": 1}, {}]}"#, #"{"cars": [{"_id": [1]}, {"_id": [2]}]}"#,
    #"{"cars": [{"_id": 1}, {"_id": 2, "id": 1}]}"#, #"{"cars": [{"boxId": 1}, {"boxId": 2}]}"#,
  ])
  func `A member that identifies no record is not proposed`(_ text: String) {
    #expect(findings(text).allSatisfy { !$0.contains("all have") })
  }

  @Test func `A text with an array is the collection of its name`() {
    let array = UTF8Slice("[{\"id\": 1}, {\"id\": 1}]")
    let found = Validator(arrayName: "posts").findings(in: array).map(\.message)
    #expect(found == ["record 2 of 'posts' has the id 1 of record 1, and cannot be reached"])
  }

  @Test
  func `Ids of two kinds are reported once for each collection`() {
    let found = findings(#"{"a": [{"id": 1}, {"id": "x"}, {"id": "y"}], "b": [{"id": "1"}, {"id": 2}]}"#)
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.contains("are numbers and strings") })
  }

  @Test
  func `Findings come in the text's order, whatever they are about`() {
    let found = Validator().findings(
      in: UTF8Slice("{\n\"a\": [{}, {\"id\": 1, \"x\": 1, \"x\": 2}],\n\"n\": 1,\n\"b\": [{}]}"))
    #expect(found.map(\.line) == [2, 2, 3, 4])
    #expect(found.map(\.offset) == found.map(\.offset).sorted())
  }
}
