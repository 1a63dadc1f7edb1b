import JSONDatabase
import JSONServerValues
import Synchronization
import Testing

struct LoadingTests {
  static let layouts = [
    "{}", " {\n} ", "{\"posts\": []}", "{\"posts\": [ \n ]}\n",
    "{\n  \"posts\": [\n    {\n      \"id\": 1\n    },\n    {\n      \"id\": 2\n    }\n  ]\n}\n",
    "{\n    \"posts\": [\n        {\"id\": 1},\n        {\"id\": 2}\n    ]\n}",
    "{\n\t\"posts\": [\n\t\t{\n\t\t\t\"id\": 1\n\t\t}\n\t],\n\t\"profile\": {\n\t\t\"name\": \"ada\"\n\t}\n}\n",
    "{\r\n  \"posts\": [\r\n    { \"id\": 1 }\r\n  ]\r\n}\r\n",
    "{\"posts\":[{\"id\":1},{\"id\":2}],\"profile\":{}}",
    "\u{FEFF}{\"posts\": [{\"id\": 1}]}\n",
    "{ \"posts\" : [ {\"id\":1} , {\"id\":2}\n,\n\n{\"id\":3}\t] , \"a\":{} }  \n",
    "{\"$schema\": \"./schema.json\", \"posts\": [1, \"two\", null, [3], {\"id\": 1.0, \"n\": 1e3}]}",
    "{\"p\\u006fsts\": [{\"\\u0069d\": 1, \"t\": \"\\ud83d\\ude00 \\/\"}]}",
  ]

  @Test(arguments: layouts)
  func `A file's text comes out as it was read`(_ text: String) throws {
    #expect(try Database.fixture(text).string == text)
  }

  static let refusals: [(text: String, place: String, word: String)] = [
    ("", "1:1", "empty"), ("  \n ", "2:2", "empty"), ("[]", "1:1", "name"), ("\"x\"", "1:1", "object"),
    ("{\"a\": 1}", "1:7", "'a'"), ("{\n  \"a\": null}", "2:8", "'a'"), ("{\"a/b\": []}", "1:2", "slash"),
    ("{\"\": []}", "1:2", "name"), ("{\"a\": [], \"a\": {}}", "1:11", "twice"), ("{\"a\": []", "1:9", "ends"),
    ("{\"a\": [1,]}", "1:10", ""), ("{\"a\": [1 2]}", "1:10", "','"), ("{\"a\": []} x", "1:11", "end"),
    ("{\"a\": [],}", "1:10", ""),
  ]

  @Test(arguments: refusals)
  func `A file that cannot be served is refused with the place`(_ text: String, _ place: String, _ word: String) {
    let error = #expect(throws: JSONError.self) { try Database.fixture(text) }
    #expect(error?.description.hasPrefix(place + ":") == true, "\(error?.description ?? "")")
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["\"x\"", "{\"type\": \"object\"}", "[1]"])
  func `A schema is kept and not served`(_ schema: String) throws {
    let text = "{\"$schema\": \(schema), \"posts\": []}"
    let database = try Database.fixture(text)
    #expect(database.resourceNames == ["posts"])
    #expect(database.string == text)
  }

  @Test func `Numbers become text ids under 1_0, and records without an id get one`() throws {
    let database = try Database.fixture("{\"a\": [{\"id\": 9007199254740993}, {\"n\": 1}, {\"id\": \"x\"}]}", .v1)
    #expect(try database.record("9007199254740993", in: "a").string == "{\"id\": \"9007199254740993\"}")
    #expect(try database.record("generated", in: "a").string.contains("\"n\": 1"))
    #expect(try database.record("x", in: "a").string == "{\"id\": \"x\"}")
  }

  @Test func `Who waits is told of each MiB that was read`() throws {
    let records = Array(repeating: "{\"text\": \"\(String(repeating: "a", count: 1_000))\"}", count: 3_200)
    let text = UTF8Slice("{\"a\": [\(records.joined(separator: ","))]}")
    let calls = Atomic(0)
    let read = Atomic(0)
    _ = try Database(parsing: text, ids: .constant) { count in
      calls.add(1, ordering: .relaxed)
      read.add(count, ordering: .relaxed)
    }
    #expect(calls.load(ordering: .relaxed) == 3)
    #expect((3 << 20..<text.count).contains(read.load(ordering: .relaxed)))
  }
}
