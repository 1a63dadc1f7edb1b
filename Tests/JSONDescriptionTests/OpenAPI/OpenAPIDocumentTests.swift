import JSONServerValues
import Testing

@testable import JSONDescription

@Suite struct OpenAPIDocumentTests {
  private let resources = [
    ResourceType(
      name: "posts", kind: .collection,
      records: [["id": 1, "title": "a", "author": ["name": "b"]], ["id": 2, "title": nil, "author": ["name": "c"]]]),
    ResourceType(name: "comments", kind: .collection, records: [["id": "x", "postId": 1, "q": true]]),
    ResourceType(name: "profile", kind: .object, records: [["name": "typicode", "since": "2020-01-01"]]),
    ResourceType(name: "we{ird", kind: .collection, records: []),
    ResourceType(name: "größen", kind: .collection, records: [["id": 1]]),
    ResourceType(name: "post-comments", kind: .collection, records: [["id": 1]]),
  ]

  private func document(_ bodies: OpenAPIDocument.Bodies = .shaped) -> JSONValue {
    let document = OpenAPIDocument(
      title: "database.json", resources: resources,
      relations: [("posts", "comments", "postId", isList: false)], bodies: bodies
    ) { $0.hasSuffix("s") ? String($0.dropLast()) : $0 }
    return .object(document.object)
  }

  @Test(arguments: [
    (
      "/posts", ["get": "listPosts", "post": "createPost", "patch": "updateManyPosts", "delete": "deleteManyPosts"]
    ),
    (
      "/posts/{id}",
      ["get": "getPost", "post": "mergePost", "put": "replacePost", "patch": "updatePost", "delete": "deletePost"]
    ),
    ("/posts/{postId}/comments", ["get": "listPostComments", "post": "createPostComment"]),
    (
      "/profile",
      ["get": "getProfile", "post": "createProfile", "put": "replaceProfile", "patch": "updateProfile"]
    ),
    (
      "/we%7Bird",
      ["get": "listWeIrd", "post": "createWeIrd", "patch": "updateManyWeIrd", "delete": "deleteManyWeIrd"]
    ),
  ])
  func `Every route has its operations`(_ path: String, _ expected: [String: String]) throws {
    let item = try #require(document()["paths"]?[path]?.object)
    let operations = item.filter { $0.name != "parameters" }
    let names = operations.map { ($0.name, $0.value["operationId"]?.string ?? "") }
    #expect(Dictionary(uniqueKeysWithValues: names) == expected)
  }

  @Test(arguments: [OpenAPIDocument.Bodies.shaped, .open, .checked])
  func `Every reference leads somewhere and every operation has a name of its own`(_ bodies: OpenAPIDocument.Bodies) {
    let document = document(bodies)
    for reference in strings(named: "$ref", in: document) {
      let target = reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
      #expect(target != nil, "\(reference)")
    }
    let operations = strings(named: "operationId", in: document)
    #expect(Set(operations).count == operations.count)
  }

  @Test(arguments: [OpenAPIDocument.Bodies.shaped, .open, .checked])
  func `Component and operation names are what OpenAPI and generators allow`(_ bodies: OpenAPIDocument.Bodies) throws {
    let document = document(bodies)
    let schemas = try #require(document["components"]?["schemas"]?.object).map(\.name)
    for name in schemas + strings(named: "operationId", in: document) {
      #expect(name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil, "\(name)")
    }
  }

  @Test(
    arguments: [
      (OpenAPIDocument.Bodies.shaped, "integer", "array"), (.open, ["number", "string"], ["array", "string"]),
    ] as [(OpenAPIDocument.Bodies, JSONValue, JSONValue)])
  func `Only an open document says what else the server accepts as a number or a filter`(
    _ bodies: OpenAPIDocument.Bodies, _ number: JSONValue, _ filter: JSONValue
  ) throws {
    let document = document(bodies)
    #expect(document["components"]?["parameters"]?["page"]?["schema"]?["type"] == number)
    let parameters = try #require(document["paths"]?["/posts"]?["get"]?["parameters"]?.array)
    #expect(parameters.first { $0["name"] == "title" }?["schema"] == ["type": filter, "items": ["type": "string"]])
  }

  @Test(arguments: [
    ("", true), ("1", true), ("-1.5e+3", true), (".5", true), ("+2.", true), ("two", false), ("1e", false),
    ("-", false),
  ])
  func `The pattern of a number is met by what the server reads as one, and by nothing at all`(
    _ text: String, _ isMet: Bool
  ) throws {
    let page = document(.open)["components"]?["parameters"]?["page"]
    let pattern = try Regex(try #require(page?["schema"]?["pattern"]?.string))
    #expect(text.contains(pattern) == isMet)
    #expect((text.isEmpty || Double(text) != nil) == isMet)
  }

  @Test(arguments: [("/posts", ["200", "201"]), ("/posts/{postId}/comments", ["201"])])
  func `An open document describes arrays where the server accepts them`(_ path: String, _ successes: [String]) throws {
    let create = try #require(document(.open)["paths"]?[path]?["post"])
    let responses = try #require(create["responses"]?.object).map(\.name)
    #expect(responses.filter { $0.hasPrefix("2") } == successes)
    let body = create["requestBody"]?["content"]?["application/json"]?["schema"]?["anyOf"]?.array ?? []
    #expect(body.contains { $0["type"] == "array" } == successes.contains("200"))
  }

  @Test func `A list is filtered by members and by those of nested objects`() throws {
    let parameters = try #require(document()["paths"]?["/posts"]?["get"]?["parameters"]?.array)
    #expect(parameters.compactMap { $0["name"]?.string } == ["id", "title", "author.name", "_embed", "_expand"])
    #expect(parameters.compactMap { $0["$ref"]?.string }.count == 11)
  }

  @Test func `A member named as a parameter of lists is not a filter`() throws {
    let parameters = try #require(document()["paths"]?["/comments"]?["get"]?["parameters"]?.array)
    #expect(parameters.compactMap { $0["name"]?.string } == ["id", "postId", "_embed", "_expand"])
  }

  @Test(
    arguments: [
      ("/posts/{id}", .shaped, ["type": "integer"]),
      ("/posts/{id}", .open, ["type": ["integer", "string"], "minLength": 1]),
      ("/comments/{id}", .shaped, ["type": "string", "minLength": 1]),
      ("/comments/{id}", .open, ["type": "string", "minLength": 1]),
      ("/posts/{postId}/comments", .shaped, ["type": "string", "minLength": 1]),
    ] as [(String, OpenAPIDocument.Bodies, JSONValue)])
  func `A path takes every id that it returns`(_ path: String, _ bodies: OpenAPIDocument.Bodies, _ schema: JSONValue) {
    #expect(document(bodies)["paths"]?[path]?["parameters"]?[0]?["schema"] == schema)
  }

  @Test func `The id is required of a record, not of a new one, and unknown to a patch`() {
    let schemas = document()["components"]?["schemas"]
    #expect(schemas?["Post"]?["required"] == ["id", "title", "author"])
    #expect(schemas?["NewPost"]?["required"] == ["title", "author"])
    #expect(schemas?["NewPost"]?["properties"]?["id"]?["type"] == "integer")
    #expect(schemas?["PostPatch"]?["required"] == nil)
    #expect(schemas?["PostPatch"]?["properties"]?["id"] == nil)
  }

  @Test func `Null is one more type, not one more schema`() {
    let title = document()["components"]?["schemas"]?["Post"]?["properties"]?["title"]
    #expect(title == ["type": ["string", "null"], "examples": ["a"]])
  }

  @Test(arguments: [("draft", ["draft", "live", nil]), ("", nil)] as [(String, JSONValue?)])
  func `Choices that may be null name it, unless one is empty text`(_ choice: String, _ expected: JSONValue?) {
    let type = ValueType(alternatives: [.string(.choice([choice, "live"]))], isNullable: true)
    #expect(type.schema["enum"] == expected)
  }

  @Test func `An empty collection holds open objects`() {
    #expect(document()["components"]?["schemas"]?["WeIrd"] == ["type": "object"])
  }

  @Test func `A shaped document refers to the shape, an open one to any object too`() {
    let path = ["paths", "/posts/{id}", "put", "requestBody", "content", "application/json", "schema"]
    func schema(_ bodies: OpenAPIDocument.Bodies) -> JSONValue? { path.reduce(document(bodies)) { $0?[$1] } }
    #expect(schema(.shaped) == ["$ref": "#/components/schemas/NewPost"])
    #expect(
      schema(.open) == [
        "anyOf": [["$ref": "#/components/schemas/NewPost"], ["$ref": "#/components/schemas/AnyObject"]]
      ])
  }

  @Test(arguments: [OpenAPIDocument.Bodies.open, .checked])
  func `A document to test with says only what holds by itself`(_ bodies: OpenAPIDocument.Bodies) throws {
    let document = document(bodies)
    let posts = document["paths"]?["/posts"]
    let filters = try #require(posts?["delete"]?["parameters"]?[0])
    #expect(filters["required"] == true && filters["schema"]?["minProperties"] == 1)
    #expect(filters["schema"]?["properties"]?.object?.names == ["id", "title", "author.name", "q", "_all"])
    let parameters = document["components"]?["parameters"]
    #expect(
      parameters?["where"]?["content"]?["application/json"]?["schema"]?["$ref"]?.string?.hasSuffix("/Conditions")
        == true)
    #expect(parameters?["since"] == nil)
    let list = posts?["get"]?["responses"]?["200"]?["content"]?["application/json"]?["schema"]?["anyOf"]?.array
    #expect(list?.last == ["$ref": "#/components/schemas/Page"])
    let operations = document["components"]?["schemas"]?["PatchOperations"]?["items"]?["anyOf"]?.array ?? []
    #expect(
      operations.map { $0["required"] ?? .null } == [
        ["op", "path", "value"], ["op", "path"], ["op", "path", "from"],
      ])
    #expect(posts?["patch"]?["requestBody"]?["content"]?["application/json"]?["schema"]?["properties"]?["id"] == false)
  }

  @Test func `A checked document demands what the server checks, and no more`() throws {
    let resource = ResourceType(
      name: "posts", kind: .collection, records: [["id": 1, "title": "a", "author": ["name": "b"]]],
      checked: [
        ("id", [.number], true), ("title", [.string, .null], true), ("author", [.object], true),
        ("tags", [.array], false),
        ("seen", [.bool], true), ("note", [.null], false),
      ])
    let document = JSONValue.object(
      OpenAPIDocument(title: "", resources: [resource], bodies: .checked) { String($0.dropLast()) }.object)
    let schemas = document["components"]?["schemas"]
    #expect(schemas?["Post"]?["required"] == nil && schemas?["PostPatch"]?["required"] == nil)
    #expect(schemas?["PostPatch"]?["properties"]?["id"] == nil)
    let new = try #require(schemas?["NewPost"])
    #expect(new["required"] == ["title", "author", "seen"])
    #expect(new["properties"]?["title"]?["type"] == ["string", "null"])
    #expect(new["properties"]?["author"] == ["type": "object"])
    #expect(new["properties"]?["note"] == [:])
    #expect(new["properties"]?["id"] == ["anyOf": [["type": "number"], ["enum": [nil, false, 0, ""]]]])
    // No form can hold the author, which every record has.
    let post = document["paths"]?["/posts"]?["post"]?["requestBody"]?["content"]
    #expect(post?.object?.names == ["application/json"])
    let patch = document["paths"]?["/posts/{id}"]?["patch"]?["requestBody"]?["content"]
    let form = patch?["application/x-www-form-urlencoded"]?["schema"]
    #expect(form?["properties"]?["author"] == false && form?["properties"]?["seen"] == ["type": "boolean"])
    #expect(patch?["multipart/form-data"]?["schema"] == form)
  }

  @Test func `Any error may come from any operation`() throws {
    let paths = try #require(document()["paths"]?.object)
    for path in paths {
      for operation in path.value.object ?? JSONObject() where operation.name != "parameters" {
        #expect(operation.value["responses"]?["default"] == ["$ref": "#/components/responses/Error"])
      }
    }
  }

  private func strings(named name: String, in value: JSONValue) -> [String] {
    switch value {
    case .object(let object):
      object.flatMap { $0.name == name ? [$0.value.string].compactMap(\.self) : strings(named: name, in: $0.value) }
    case .array(let elements): elements.flatMap { strings(named: name, in: $0) }
    case .null, .bool, .number, .string: []
    }
  }

  @Test(arguments: [
    ("/posts", "post", "json form multipart csv ndjson"), ("/posts/{id}", "put", "json form multipart"),
    ("/posts/{id}", "patch", "json merge operations form multipart"),
    ("/posts/{id}", "post", "json merge operations form multipart"),
    ("/posts/{postId}/comments", "post", "json form multipart"), ("/profile", "put", "json form multipart"),
    ("/profile", "post", "json form multipart"), ("/profile", "patch", "json merge operations form multipart"),
    ("/posts", "get", ""), ("/posts/{id}", "delete", ""),
  ])
  func `Each operation lists the types of bodies that it takes`(_ path: String, _ method: String, _ types: String) {
    let names = [
      "application/json": "json", "application/x-www-form-urlencoded": "form", "multipart/form-data": "multipart",
      "text/csv": "csv", "application/x-ndjson": "ndjson", "application/merge-patch+json": "merge",
      "application/json-patch+json": "operations",
    ]
    let body = document()["paths"]?[path]?[method]?["requestBody"]?["content"]?.object?.names ?? []
    #expect(body.map { names[$0] ?? $0 }.joined(separator: " ") == types)
  }
}
