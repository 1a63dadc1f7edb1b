import JSONDescription
import Testing

@Suite struct SwiftGeneratorTests {
  @Test func `A record is a structure with the data's names in Swift's spelling`() throws {
    let source = try Samples(
      #"{"posts": [{"id": 1, "created_date": "2024-01-01T10:00:00Z", "author": {"name": "a"}, "default": null}]}"#
    ).source
    #expect(
      source.contains(
        """
        /// A record of `posts`.
        struct Post: Codable, Identifiable, Sendable, Hashable {
          var id: Int
          var createdDate: Date
          var author: Author
          var `default`: AnyJSON?

          enum CodingKeys: String, CodingKey {
            case id
            case createdDate = "created_date"
            case author
            case `default`
          }

          struct Author: Codable, Sendable, Hashable {
            var name: String
          }
        }
        """))
  }

  @Test func `A new record has no id and shares the record's nested types`() throws {
    let source = try Samples(#"{"posts": [{"id": 1, "tags": [{"a": 1}], "views": 1}, {"id": 2, "tags": []}]}"#).source
    #expect(
      source.contains(
        """
        struct NewPost: Codable, Sendable, Hashable {
          var tags: [Post.Tag]
          var views: Int?
        }
        """))
  }

  @Test(arguments: [
    (["1", "2"], "Int"),
    (["1", "2.5"], "Double"),
    (["true"], "Bool"),
    ([#""a""#], "String"),
    ([#""https://a.org""#], "URL"),
    ([#""123e4567-e89b-12d3-a456-426614174000""#], "UUID"),
    ([#""2024-01-01T00:00:00Z""#], "Date"),
    ([#""2024-01-01""#], "String"),
    (["[1]", "[null]"], "[Int?]"),
    (["[]"], "[AnyJSON]"),
    (["1", #""a""#], "AnyJSON"),
    (["{}"], "AnyJSON"),
    (["1", "null"], "Int?"),
  ])
  func `A member has the type of its values`(_ values: [String], _ type: String) throws {
    let records = values.map { #"{"id": 1, "m": \#($0)}"# }.joined(separator: ",")
    let source = try Samples(#"{"posts": [\#(records)]}"#).source
    #expect(source.contains("  var m: \(type)\n"))
  }

  @Test(arguments: ["id", "postId"])
  func `An id keeps its spelling, also where another record refers to it`(_ name: String) throws {
    let id = "123e4567-e89b-12d3-a456-426614174000"
    let source = try Samples(#"{"comments": [{"id": "\#(id)", "postId": "\#(id)"}]}"#).source
    #expect(source.contains("  var \(name): String\n"))
  }

  @Test func `What the data does not need is not there`() throws {
    let source = try Samples(#"{"posts": [{"id": 1}]}"#).source
    for name in ["AnyJSON", "internetDateTime", "ResourceObject", "CodingKeys"] { #expect(!source.contains(name)) }
  }

  @Test func `The client makes way for a record of its name`() throws {
    let source = try Samples(#"{"clients": []}"#).source
    #expect(source.contains("struct Client: Codable"))
    #expect(source.contains("struct APIClient: Sendable"))
  }

  @Test func `Names cannot break out of comments and literals`() throws {
    let source = try Samples("{\"a\\nb\\u2028 \\u202E\": [{\"id\": 1, \"\\\"\\\\(x)\\u0000\": 1}]}").source
    #expect(source.contains("/// A record of `ab `."))
    #expect(source.contains(#"= "\"\\(x)\u{0}""#))
  }
}
