import JSONServerValues
import Testing

@testable import JSONDatabase

struct PatternQueryTests {
  @Test(arguments: [
    Query(("title_like", "(")), Query(("title:like", "(")), Query(where: ["title": ["like": "("]]),
  ])
  func `A query with a pattern that cannot be used names the member`(_ query: Query) throws {
    let database = try Database.fixture("{\"a\": [{\"id\": 1, \"title\": \"x\"}]}")
    let error = #expect(throws: DatabaseError.self) { try database.list("a", query) }
    #expect(error?.code == .invalidQuery)
    #expect(error?.message == "The pattern for 'title' cannot be used. The group is not closed with ')'.")
  }

  @Test(arguments: ["-1e400", "1e\\+21", "object Ob", "x,y"])
  func `A pattern finds the text of what the file spells otherwise`(pattern: String) throws {
    let values = ["-1e400", "10e20", "{}", "[\"x\", \"y\"]"]
    let records = values.map { "{\"v\": \($0)}" }.joined(separator: ",")
    let database = try Database.fixture("{\"a\": [\(records)]}")
    #expect(try database.list("a", Query(("v_like", pattern))).selection.total == 1)
  }
}
