import Testing

@testable import JSONDescription

@Suite struct IdentifierTests {
  @Test(arguments: [
    ("created_date", "createdDate"), ("thumbnailUrl", "thumbnailUrl"), ("URLString", "urlString"), ("ID", "id"),
    ("_id", "id"), ("$ref", "ref"), ("two words", "twoWords"), ("2fa", "n2fa"), ("größe", "größe"), ("🙂", "value"),
    ("", "value"), ("Name", "name"), ("HTTP2", "http2"), ("a\"b\\c", "aBC"),
  ])
  func `A member's name becomes a property's`(_ name: String, _ property: String) {
    #expect(Identifier.lowerCamelCase(name) == property)
  }

  @Test(arguments: [("post", "Post"), ("blog-post", "BlogPost"), ("2nd", "N2nd"), ("...", "Value")])
  func `A resource's name becomes a type's`(_ name: String, _ type: String) {
    #expect(Identifier.upperCamelCase(name) == type)
  }

  @Test(arguments: [("Post", "Post"), ("日本", "U65E5U672C"), ("Größe", "GrUF6UDFe")])
  func `A component's name is ASCII`(_ identifier: String, _ name: String) {
    #expect(Identifier.ascii(identifier) == name)
  }

  @Test func `No two types share a name`() {
    let resources = ["posts", "new-posts", "post", "errors"].map { name in
      ResourceType(name: name, kind: .collection, records: [])
    }
    let named = NamedResource.all(resources, reserved: ["Error"]) { $0.hasSuffix("s") ? String($0.dropLast()) : $0 }
    #expect(named.map(\.recordName) == ["Post", "NewPost2", "Post3", "ErrorRecord"])
    #expect(named.map(\.pluralName) == ["Posts", "NewPosts", "Post", "Errors"])
  }
}
