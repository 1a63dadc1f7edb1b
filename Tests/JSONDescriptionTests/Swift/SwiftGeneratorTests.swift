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
        nonisolated struct Post: Codable, Identifiable, Sendable, Hashable {
          var id: Int
          var createdDate: Date
          var author: Author
          var `default`: AnyJSON?

          /// A `nil` is sent as null where the data has nulls, and left out where the data lacks the member.
          func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.id, forKey: .id)
            try container.encode(self.createdDate, forKey: .createdDate)
            try container.encode(self.author, forKey: .author)
            try container.encode(self.`default`, forKey: .`default`)
          }

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

  @Test func `A new record sends null for what the data has as null, not for what it lacks`() throws {
    let source = try Samples(
      #"{"posts": [{"id": 1, "note": null, "place": {"floor": null}}, {"id": 2, "note": "a", "views": 1}]}"#
    ).source
    #expect(
      source.contains(
        """
        struct NewPost: Codable, Sendable, Hashable {
          var note: String?
          var place: Post.Place?
          var views: Int?

          /// A `nil` is sent as null where the data has nulls, and left out where the data lacks the member.
          func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.note, forKey: .note)
            try container.encodeIfPresent(self.place, forKey: .place)
            try container.encodeIfPresent(self.views, forKey: .views)
          }
        }
        """))
    #expect(source.contains("    try container.encode(self.floor, forKey: .floor)"))
    #expect(source.contains("case decimal(Decimal)"))
  }

  @Test(arguments: [
    (["1", "2"], "Int"),
    (["1", "2.5"], "Double"),
    (["1", "2.5", "0.30000000000000004", "1e300"], "Double"),
    (["1.5", "9007199254740993"], "Decimal"),
    (["1", "12345678901234567890"], "Decimal"),
    (["0.1234567890123456789"], "Decimal"),
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
    for name in ["AnyJSON", "internetDateTime", "ResourceObject", "CodingKeys", "// <"] {
      #expect(!source.contains(name))
    }
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

  @Test func `A draft is made of a record, a user's with the password that no record holds`() throws {
    let source = try Samples(NastyData.users).source
    #expect(
      source.contains(
        """
        nonisolated extension NewPost {
          /// The members of a record, to create or to replace one.
          init(_ record: Post) {
            self.title = record.title
            self.status = record.status

        """))
    #expect(
      source.contains(
        "  init(_ record: User, password: String) {\n    self.email = record.email\n    self.password = password\n"))
    #expect(
      source.contains(
        "struct User: Codable, Identifiable, Sendable, Hashable {\n  var id: Int\n  var email: String\n  var nickname"))
  }

  @Test func `A patch tells null from what stays as it is`() throws {
    let source = try Samples(
      #"{"posts": [{"id": 1, "a": 1, "b": null, "c": null}, {"id": 2, "a": 2, "b": "x", "c": null}]}"#
    ).source
    #expect(
      source.contains(
        """
        /// A change of `posts`: a `nil` stays as it is, and `.null` becomes null.
        nonisolated struct PostPatch: Codable, Sendable, Hashable {
          var a: Int?
          var b: PatchValue<String>?
          var c: AnyJSON?
        }
        """))
  }

  @Test func `A member of few texts is an enumeration that knows there may be others`() throws {
    let source = try Samples(NastyData.users).source
    for line in [
      "var status: Status\n",
      "  enum Status: RawRepresentable, Codable, CaseIterable, Sendable, Hashable {\n    case draft\n    case inReview\n",
      "    case unknown\n", "    case other(String)\n", #"case "in_review": self = .inReview"#,
      "default: self = .other(rawValue)",
      "var publishedAt: Date?\n", "var price: Decimal\n",
    ] { #expect(source.contains(line), "\(line)") }
  }

  @Test func `Other modules see what is public, and its initializers`() throws {
    let source = try Samples(NastyData.users).source(access: .public)
    for line in [
      "public import Foundation\n", "public nonisolated struct Post:", "  public var title: String\n",
      "  public enum Status:",
      "  public init(email: String, password: String, nickname: AnyJSON? = nil) {",
      "public func logIn(email: String, password",
      "  public init(accessToken: String, refreshToken: String) {", "public var posts: ResourceCollection<Post>",
    ] { #expect(source.contains(line), "\(line)") }
    let internalSource = try Samples(NastyData.users).source
    #expect(!internalSource.contains("public "))
  }

  @Test(arguments: [
    (#"{"users": [{"id": 1, "username": "ada", "password": "x"}]}"#, "logIn(username: String, password: String)"),
    (#"{"users": [{"id": 1, "email": "ada@a.org"}]}"#, nil), (#"{"users": [{"id": 1, "password": "x"}]}"#, nil),
    (#"{"users": [{"id": 1, "email": "ada@a.org", "password": 7}]}"#, nil),
    (#"{"me": {"email": "a@a.org", "password": "x"}}"#, nil),
  ])
  func `The client signs in where the data has users who can`(_ data: String, _ call: String?) throws {
    let source = try Samples(data).source
    #expect(source.contains("SignInTokens") == (call != nil))
    if let call { #expect(source.contains(call)) }
  }

  @Test(arguments: [
    (["draft", "in_review"], true), (["inReview", "in-review"], true), (["PAID", "IN_REVIEW"], true),
    (["Berlin", "Paris"], false), (["tea 1", "tea 2"], false), (["1st", "2nd"], false), (["draft", ""], false),
    (["d\u{E9}j\u{E0}", "vu"], false),
  ])
  func `Few texts are an enumeration when they are spelled as constants`(_ texts: [String], _ isEnumeration: Bool)
    throws
  {
    let records = (0..<20).map { #"{"id": \#($0), "state": "\#(texts[$0 % 2])"}"# }.joined(separator: ",")
    let source = try Samples(#"{"posts": [\#(records)]}"#).source
    #expect(source.contains("  var state: \(isEnumeration ? "State" : "String")\n"))
  }
}
