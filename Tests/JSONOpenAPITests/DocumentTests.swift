import Foundation
import JSONDatabase
import JSONServerValues
import Testing

@testable import JSONOpenAPI

@Suite struct DocumentTests {
  @Test func `Integers as ids, a list without an envelope, and the document's own errors`() throws {
    var served = try Served("bookings.yaml")
    #expect(served.send("GET", "/bookings").value.array?.count == 3)
    #expect(served.send("GET", "/v1/bookings/1").status == 200)
    let created = served.send("POST", "/bookings", ["guest": "Ada", "nights": 2])
    #expect(created.status == 201)
    #expect(
      created.value == [
        "id": 4, "guest": "Ada", "nights": 2, "status": "requested", "createdAt": "2025-06-07T08:09:10Z",
      ])
    #expect(served.send("GET", "/bookings?sort=-guest&limit=1").value[0]?["guest"] == "string2")
    #expect(
      served.send("PUT", "/bookings/4", ["guest": "Bob", "nights": 3]).value["createdAt"] == "2025-06-07T08:09:10Z")
    let refused = served.send("POST", "/bookings", ["guest": "", "nights": 0])
    #expect(refused.status == 400)
    #expect(refused.value["details"]?.array?.count == 2)
    #expect(served.send("DELETE", "/bookings/4").status == 204)
    #expect(served.send("GET", "/bookings/4").status == 404)
    #expect(served.send("GET", "/bookings/x").status == 404)
    #expect(served.send("GET", "/bookings?limit=0").status == 400)
  }

  @Test func `An envelope, children of a parent, an object, an action and credentials`() throws {
    var served = try Served("members.yaml")
    #expect(served.send("GET", "/members", fields: []).status == 401)
    let page = served.send("GET", "/members?page=2&per_page=1").value
    #expect(page["data"]?[0]?["name"] == "Alan")
    #expect(page["meta"] == ["page": 2, "perPage": 1, "total": 2, "totalPages": 2])
    let created = served.send("POST", "/members", ["name": "Eve", "email": "eve@example.com", "password": "secret"])
    #expect(created.status == 201)
    #expect(created.value["password"] == nil)
    let id = created.value["id"]?.string ?? ""
    #expect(served.send("POST", "/members/\(id)/loans", ["title": "Emma"]).value["memberId"] == .string(id))
    #expect(served.send("GET", "/members/\(id)/loans").value.array?.count == 1)
    #expect(served.send("POST", "/members/\(id)/suspend").status == 202)
    #expect(
      served.send("PATCH", "/members/\(id)", ["name": "Eva"], type: "application/merge-patch+json").value["name"]
        == "Eva")
    #expect(served.send("DELETE", "/members/\(id)").status == 204)
    #expect(served.send("GET", "/members/\(id)/loans").status == 404)
    #expect(served.send("GET", "/loans/4").status == 404)
    #expect(served.send("PUT", "/me", ["name": "Bob", "language": "de"]).value["newsletter"] == true)
    #expect(served.send("GET", "/me").value["name"] == "Bob")
    #expect(served.send("GET", "/health", fields: []).value == ["status": "ok"])
  }

  @Test func `New ids follow their schema, and differ from its example`() throws {
    let text = """
      openapi: 3.0.0
      paths:
        /parts:
          get:
            responses: {200: {content: {application/json: {schema: {type: array, items: &part
              {type: object, required: [code], properties: {code: {type: string, pattern: '^P[0-9]{3}$', example: P100}}}}}}}}
          post:
            requestBody: {content: {application/json: {schema: {type: object}}}}
            responses: {201: {description: made}}
        /parts/{code}:
          parameters: [{name: code, in: path, required: true, schema: {type: string, pattern: '^P[0-9]{3}$'}}]
          get: {responses: {200: {content: {application/json: {schema: *part}}}, 404: {description: none}}}
      """
    var served = try Served(text: Array(text.utf8))
    #expect(served.send("GET", "/parts").value.array?.compactMap { $0["code"]?.string } == ["P001", "P002", "P003"])
    let created = served.send("POST", "/parts", [:])
    #expect(created.headers.map(\.value) == ["http://localhost/parts/P004"])
    #expect(served.send("GET", "/parts/P004").status == 200)
  }
}

@Suite struct StorageTests {
  @Test func `Children of two parents belong to each, and ids begin where their schema allows`() throws {
    let text = """
      openapi: 3.0.0
      paths:
        /users: &list
          get: {responses: {200: {content: {application/json: {schema: {type: array, items: {type: object}}}}}}}
          post: {requestBody: {content: {application/json: {}}}, responses: {201: {description: made}}}
        /users/{user}: &item
          parameters: [{name: user, in: path, schema: {type: integer, minimum: 1000}}]
          get: {responses: {200: {content: {application/json: {schema: {type: object}}}}, 404: {description: none}}}
          delete: {responses: {204: {description: gone}, 404: {description: none}}}
        /posts: *list
        /posts/{post}:
          parameters: [{name: post, in: path, schema: {type: string, format: uuid}}]
          get: {responses: {200: {content: {application/json: {schema: {type: object}}}}, 404: {description: none}}}
        /users/{user}/comments: {<<: *list, parameters: [{name: user, in: path, schema: {type: integer}}]}
        /posts/{post}/comments: {<<: *list, parameters: [{name: post, in: path, schema: {type: string}}]}
      """
    var served = try Served(text: Array(text.utf8))
    let user = try #require(served.send("POST", "/users", [:]).headers.first?.value)
    #expect(user == "http://localhost/users/1004")
    let post = try #require(served.send("POST", "/posts", [:]).headers.first?.value.dropFirst("http://localhost".count))
    #expect(served.send("POST", "/users/1004/comments", ["text": "a"]).status == 201)
    #expect(served.send("POST", post + "/comments", ["text": "b"]).status == 201)
    #expect(served.send("GET", "/users/1004/comments").value.array?.map { $0["text"] } == ["a"])
    #expect(served.send("GET", post + "/comments").value.array?.map { $0["text"] } == ["b"])
    #expect(served.send("DELETE", "/users/1004").status == 204)
    #expect(served.send("GET", "/users/1004/comments").value == [])
  }
}

@Suite struct LeniencyTests {
  /// A list whose requests allow what its responses do not, in a document that has no response for a taken id.
  private static let text = """
    openapi: 3.1.0
    info: {title: Issues, version: '1'}
    paths:
      /issues:
        get: {responses: {'200': {description: all, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Issue'}}}}}}}
        post:
          requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: integer}, title: {type: [string, integer]}, note: {type: [string, 'null']}, votes: {type: integer}}}}}}
          responses: {'201': &one {description: one, content: {application/json: {schema: {$ref: '#/components/schemas/Issue'}}}}, '400': &no {description: no}}
      /issues/{id}:
        parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
        get: {responses: {'200': *one, '404': *no}}
        patch:
          requestBody: {content: {application/json: {schema: {type: object, properties: {title: {type: [string, integer, 'null']}, note: {type: [string, 'null']}, votes: {type: integer}}}}}}
          responses: {'200': *one, '400': *no, '404': *no}
    components: {schemas: {Issue: {type: object, required: [id, title], properties: {id: {type: integer}, title: {type: string}, note: {type: string}, votes: {type: integer, maximum: 9}}, examples: [{id: 1, title: one}]}}}
    """

  @Test func `A request may say in a number or null what the responses say in a text or not at all`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    #expect(served.send("POST", "/issues", ["title": 7, "note": nil]).value == ["id": 2, "title": "7"])
    #expect(served.send("PATCH", "/issues/2", ["note": "x"]).value == ["id": 2, "title": "7", "note": "x"])
    #expect(served.send("PATCH", "/issues/2", ["title": nil, "note": nil]).value == ["id": 2, "title": "7"])
  }

  @Test func `A taken id becomes a new one where no response could refuse it`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    let response = served.send("POST", "/issues", ["id": 1, "title": "again"])
    #expect(response.status == 201 && response.value == ["id": 2, "title": "again"])
  }

  @Test func `After the largest id that the schema allows, free ones are given`() throws {
    let text = Self.text.replacing("id: {type: integer}", with: "id: {type: integer, format: int32}")
    var served = try Served(text: Array(text.utf8))
    #expect(served.send("POST", "/issues", ["id": 2_147_483_647, "title": "last"]).status == 201)
    #expect(served.send("POST", "/issues", ["title": "next"]).value["id"] == 2)
    #expect(served.send("POST", "/issues", ["title": "next"]).value["id"] == 3)
  }

  @Test func `What a request may say and no response may show has no effect`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    #expect(served.send("POST", "/issues", ["title": "two", "votes": 10]).value == ["id": 2, "title": "two"])
    #expect(served.send("PATCH", "/issues/2", ["votes": 9]).value["votes"] == 9)
    #expect(served.send("PATCH", "/issues/2", ["votes": 10, "note": "x"]).value["votes"] == 9)
    #expect(served.send("GET", "/issues/2").value["note"] == "x")
  }

  @Test(arguments: [(0.3, true), (4.5, true), (0, true), (0.35, false), (5e-324, false), (1e-300, false)])
  func `A multiple is one by all digits of a double`(_ value: Double, _ isMultiple: Bool) throws {
    let schema = try DataSchema(["properties": ["a": ["multipleOf": 0.1]]])
    let number = try #require(JSONNumber(value))
    #expect(schema.problems(in: ValidJSON(writing: .number(number)), of: "a", isRecord: false).isEmpty == isMultiple)
  }
}

@Suite struct StationTests {
  private static let text = """
    openapi: 3.0.3
    info: {title: Stations, version: '1'}
    paths:
      /stations:
        get: {responses: {'200': {description: all, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Station'}}}}}}}
        post:
          requestBody: &body {content: {application/json: {schema: {$ref: '#/components/schemas/Station'}}, application/xml: {schema: {$ref: '#/components/schemas/Station'}}}}
          responses: {'201': &one {description: one, content: {application/json: {schema: {$ref: '#/components/schemas/Station'}}}}, '422': &no {description: no}}
      /stations/{station}:
        parameters: &station [{name: station, in: path, required: true, schema: {type: string, pattern: '^[A-Z]{3}$'}}]
        get: {responses: {'200': *one, '404': *no}}
        put: {requestBody: *body, responses: {'200': *one, '400': *no, '404': *no}}
        patch: {requestBody: {content: {application/json: {schema: {type: object, properties: {rating: {type: integer}}}}}}, responses: {'200': *one, '404': *no}}
      /stations/{station}/trains:
        parameters: *station
        get: {parameters: &limit [{name: limit, in: query, schema: {type: integer}}], responses: {'200': &all {description: all, content: {application/json: {schema: {type: array, items: {type: object}}}}}}}
        post: {requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {'201': {description: made}}}
      /stations/{station}/platforms:
        parameters: *station
        get: {parameters: *limit, responses: {'200': *all, '404': *no}}
        post: {requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {'201': {description: made}, '404': *no}}
    components:
      schemas:
        Station:
          type: object
          required: [name, code]
          properties:
            name: {type: string}
            code: {type: string, pattern: '^[A-Z]{3}$'}
            state: {type: string, nullable: true, enum: [open, closed]}
            rating: {type: integer, readOnly: true}
            lifts: {type: integer, xml: {attribute: true}}
            opened: {type: boolean}
            services: {type: array, xml: {wrapped: true}, items: {type: string, xml: {name: service}}}
            lines: {type: array, items: {type: object, xml: {name: line}, properties: {number: {type: integer}}}}
    """

  @Test func `The id is the member with the pattern of the path`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    #expect(served.send("POST", "/stations", ["name": "Rome", "code": "ROM"]).status == 201)
    #expect(served.send("GET", "/stations/ROM").value["name"] == "Rome")
    #expect(served.send("PUT", "/stations/ROM", ["name": "Roma", "code": "FCO"]).value["code"] == "ROM")
    #expect(served.send("GET", "/stations/ROM").value["name"] == "Roma")
  }

  @Test func `The schema of a request says which of its members are read-only`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    let station: JSONValue = ["name": "Rome", "code": "ROM", "rating": 7]
    #expect(served.send("POST", "/stations", station).value["rating"] == 0)
    #expect(served.send("PATCH", "/stations/ROM", ["rating": 5]).value["rating"] == 5)
  }

  @Test func `A number as id may be a text in the path`() throws {
    let text = Self.text.replacing("pattern: '^[A-Z]{3}$'}}]", with: "minLength: 1}}]").replacing(
      "code: {type: string, pattern: '^[A-Z]{3}$'}", with: "id: {type: integer}"
    ).replacing("[name, code]", with: "[name, id]")
    var served = try Served(text: Array(text.utf8))
    #expect(served.send("POST", "/stations", ["id": 7, "name": "Rome"]).status == 201)
    #expect(served.send("GET", "/stations/7").value["name"] == "Rome")
    #expect(served.send("GET", "/stations/x").status == 404)
  }

  @Test func `Null is refused where an enum lacks it`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    #expect(served.send("POST", "/stations", ["name": "Rome", "code": "ROM", "state": nil]).status == 422)
  }

  @Test func `An operation refuses with a status that it lists, and has no effect where it lists none`() throws {
    var served = try Served(text: Array(Self.text.utf8))
    #expect(served.send("GET", "/stations/AAA/platforms?limit=x").status == 404)
    #expect(served.send("GET", "/stations/XXX/platforms").status == 404)
    let trains = served.send("GET", "/stations/XXX/trains")
    #expect(trains.status == 200 && trains.value == [])
  }

  /// Bodies, and the records that they become; `nil` for those that are refused.
  private static let bodies: [(text: String, record: JSONValue?)] = [
    (
      "<?xml version=\"1.0\"?><s:station xmlns:s='urn:s' lifts=\"2\"><name>A &amp; &#66;</name><code>ROM</code>"
        + "<opened>true</opened><!-- two --><services><service>wc</service><service><![CDATA[<taxi>]]></service>"
        + "</services><line><number>1</number></line><line/></s:station>",
      [
        "name": "A & B", "code": "ROM", "lifts": 2, "opened": true, "services": ["wc", "<taxi>"],
        "lines": [["number": 1], [:]],
      ]
    ),
    ("<station><name>Rome</name><code>ROM</code><services/></station>", ["name": "Rome", "services": []]),
    ("<station><name>Rome</name><code>ROM</code><opened>perhaps</opened></station>", nil),
    ("<station><name>Rome</name></station>", nil),
  ]

  @Test(arguments: bodies)
  func `XML is read and checked as its schema says`(_ test: (text: String, record: JSONValue?)) throws {
    var served = try Served(text: Array(Self.text.utf8))
    let body = try #require(XMLReader.value(of: Array(test.text.utf8)))
    let response = served.send("POST", "/stations", body, type: "application/xml")
    #expect(response.status == (test.record == nil ? 422 : 201))
    for (name, value) in test.record?.object ?? JSONObject() { #expect(response.value[name] == value) }
  }

  @Test(arguments: [
    "", "text", "<a>", "<a></b>", "<a", "<a b></a>", "<a/><b/>", "<a><![CDATA[</a>", "<a>&#x110000;</a",
  ])
  func `What is no XML is no value`(_ text: String) {
    #expect(XMLReader.value(of: Array(text.utf8)) == nil)
  }
}

@Suite struct ContractTests {
  static let names = [
    "bookings.yaml", "members.yaml", "tickets.json", "payments.yaml", "articles.yaml", "notes.yaml", "shop.yaml",
    "customers.yaml", "projects.json", "forum.yaml", "devices.yaml", "pets.yaml", "helpdesk.yaml", "contacts.yaml",
    "accounts.yaml", "library.json", "users.json",
  ]

  /// The path of an operation with values for its parameters.
  private static func target(
    _ operation: JSONOpenAPI.Operation, _ ids: [String: String], _ served: Served
  ) -> String {
    let document = served.document
    let segments = operation.path.split(separator: "/").map { segment in
      guard let (before, name, after) = PathTree.parts(of: String(segment)) else { return String(segment) }
      let parameter = operation.parameters.first { $0.name == name && $0.location == .path }
      let ancestor = operation.ancestors.first { $0.parameter == name }.map { document.collections[$0.collection] }
      let parent = ancestor.flatMap { document.records(of: $0, served.database).first?.plainText(of: $0.idName) }
      let value = ids[name] ?? parent ?? parameter.flatMap { document.schema.sample($0.schema)?.plainText } ?? "1"
      return before + value + after
    }
    return "/" + segments.joined(separator: "/")
  }

  private static func problems(_ response: DocumentResponse, _ operation: JSONOpenAPI.Operation, _ document: Document)
    -> [String]
  {
    guard let reply = operation.reply(response.status) else {
      return ["has the undocumented status \(response.status)"]
    }
    guard let type = response.type, !reply.contents.isEmpty else { return [] }
    guard let content = reply.contents.first(where: { $0.type == type }) else { return ["has the type \(type)"] }
    return document.schema.problems(of: response.value, by: content.schema, .response).map {
      "\($0.pointer) \($0.message): \(response.value.text(pretty: false))"
    }
  }

  @Test(arguments: names)
  func `What is stored stays stored, and every response is valid by the document`(_ name: String) throws {
    var served = try Served(name)
    let document = served.document
    #expect(document.rows.filter { $0.kind == "refused" }.isEmpty)
    let fields = [("authorization", "Bearer x"), ("x-api-key", "k"), ("cookie", "sid=1"), ("idempotency-key", "1")].map
    { (name: $0.0, value: $0.1) }
    for operation in document.operations {
      let target = Self.target(operation, [:], served)
      let content = operation.body?.contents.first { $0.isJSON || $0.type.contains("form") }
      let body = content.flatMap { document.schema.sample($0.schema, 7, .request, isWhole: true) }
      let type = content?.type ?? "application/json"
      let response = served.send(operation.method, target, body, type: type, fields: fields)
      let problems = Self.problems(response, operation, document)
      #expect(problems.isEmpty, "\(operation.method) \(target) \(problems)")
      guard case .stored(let storage) = operation.kind, storage.action == .create else { continue }
      #expect(response.status / 100 == 2, "\(operation.method) \(target): \(response.value.text(pretty: false))")
      let record = (storage.resultPath ?? []).reduce(response.value) { $0[$1] ?? .null }
      let collection = document.collections[storage.collection]
      let location = response.headers.first { $0.name == "Location" }?.value ?? ""
      let id: String = record[collection.idName]?.plainText ?? String(location.split(separator: "/").last ?? "")
      for method in ["GET", "PUT", "PATCH", "DELETE", "GET"] {
        guard
          let item = document.operations.first(where: { other in
            guard other.method == method, case .stored(let item) = other.kind else { return false }
            return item.collection == storage.collection && ![.list, .create].contains(item.action)
          })
        else { continue }
        let parameter = PathTree.parts(of: item.path.split(separator: "/").last.map(String.init) ?? "")?.name ?? ""
        let content = item.body?.contents.first { $0.isJSON }
        var body = content.flatMap { document.schema.sample($0.schema, 8, .request, isWhole: true) }
        if var members = body?.object, members[collection.idName] != nil {
          members[collection.idName] = record[collection.idName]
          body = .object(members)
        }
        let response = served.send(
          method, Self.target(item, [parameter: id], served), body, type: content?.type ?? "", fields: fields)
        let problems = Self.problems(response, item, document)
        #expect(problems.isEmpty, "\(method) \(item.path) \(id) \(problems)")
        #expect(
          response.status / 100 == 2 || method == "GET" && response.status == 404,
          "\(method) \(item.path) \(id): \(response.status)")
      }
    }
  }

  @Test(arguments: names)
  func `Two starts have equal data`(_ name: String) throws {
    let first = try Served(name), second = try Served(name)
    #expect(first.document.start().data.description == second.document.start().data.description)
  }
}

@Suite struct InvalidDocumentTests {
  static let faults: [(file: String, fault: String)] = [
    ("swagger.yaml", "1:10: Swagger 2.0 is not served; convert the document to OpenAPI 3."),
    ("dangling.yaml", "12:23: the reference '#/components/schemas/Pets' has no target; did you mean 'Pet'?"),
    ("duplicate.yaml", "6:3: The key '/pets' is here twice; remove one."),
    ("tab.yaml", "3:1: A tab cannot indent a line; write spaces."),
    (
      "remote.yaml",
      "11:30: The reference 'https://example.com/pets.json#/Pets' is remote, and is not read; copy the file beside the document."
    ),
    ("impossible.yaml", "11:15: No value satisfies this schema; correct it, or add an example."),
    ("parameter.yaml", "5:5: The parameter '{id}' of the path '/pets/{id}' is not described; add it to 'parameters'."),
    ("unused.yaml", "13:23: the reference '#/components/schemas/Person' has no target; correct it, or add the target"),
    ("unclosed.json", "4:14: The '{' is not closed."),
    ("comma.json", "4:74: This is not JSON: expected a member name in quotes, found '}'; remove the comma before it."),
    ("loop.yaml", "8:8: This schema is a part of itself; write what its values are."),
    ("endless.yaml", "9:10: This schema is a part of itself; write what its values are."),
    ("same.yaml", "6:3: The paths '/pets/{id}' and '/pets/{name}' are the same; put their methods into one."),
    ("length.yaml", "5:111: 'minLength' is a whole number; correct it."),
    ("parameters.yaml", "6:19: 'parameters' is a list; write '- ' before each entry."),
    ("response.yaml", "7:16: The response '200' is no object; write 'description:' below it."),
    ("silent.yaml", "5:10: GET /pets lists no response; add one to 'responses'."),
    ("operation.yaml", "5:10: 'get' of '/pets' is no object; write 'responses:' below it."),
    ("brace.yaml", "4:3: The path '/pets/{id' has one brace alone in '{id'; write '{name}'."),
    ("status.yaml", "7:17: '2000' is no status; write one such as '200', '4XX' or 'default'."),
    ("mapping.yaml", "18:24: the reference '#/components/schemas/Dog' has no target; did you mean 'Dogs'?"),
    ("properties.yaml", "10:53: 'properties' is an object; correct it."),
    ("latin.yaml", "2:14: The text is not UTF-8; convert it."),
  ]

  @Test(arguments: faults)
  func `A document that cannot be served is an error with its place`(_ test: (file: String, fault: String)) throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../fixtures/invalid/openapi")
    let text = Array(try Data(contentsOf: path.appending(path: test.file)))
    let error = #expect(throws: DocumentFault.self) { try Document(text, name: test.file) }
    #expect(error?.description == "\(test.file):\(test.fault)")
  }
}

@Suite struct DubiousDocumentTests {
  @Test func `What keeps nothing from being served is named with its place`() throws {
    let text = """
      openapi: 3.1.0
      paths:
        /pets:
          get:
            operationId: pets
            security: [{key: []}]
            parameters: [{name: kind, in: query}]
            responses:
              '200':
                description: all
                content:
                  application/json:
                    schema: {type: array, items: {type: object, properties: {age: {type: integer, default: old}}}}
                    example: [{age: 3}, {age: young}]
              '400': {description: no}
        /dogs: {get: {operationId: pets, responses: {'204': {description: none}}}}
      components: {securitySchemes: {key: {type: apiKey, in: header, name: key}}}
      """
    #expect(
      try Document(Array(text.utf8), name: "a.yaml").start().notes.map(\.description) == [
        "a.yaml:7:20: The parameter 'kind' has no schema, so that it may be any text; add one.",
        "a.yaml:16:30: The operationId 'pets' is that of GET /pets, too; write another one.",
        "a.yaml:13:102: This default is not as its schema says: it must be of type integer; correct it.",
        "a.yaml:14:24: This example is not as its schema says: '/1/age' must be of type integer; correct it.",
        "a.yaml:4:5: GET /pets lists no response with 401; a request without credentials gets problem+json.",
      ])
  }
}

@Suite struct UnusualListTests {
  private static let text = """
    openapi: 3.0.3
    paths:
      /posts:
        get:
          parameters:
            - {name: page, in: query, style: deepObject, schema: {type: object, properties: {number: {type: integer}, size: {type: integer}}}}
            - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {title: {type: string}}}}
            - {name: sort, in: query, schema: {type: string}}
            - {name: $count, in: query, schema: {type: boolean}}
          responses: {'200': {description: all, content: {application/json: {schema: {type: array, items: &post {type: object, required: [id, attributes], properties: {id: {type: string}, attributes: {type: object, properties: {title: {type: string}}}}}}}}}, '400': &no {description: no, content: {application/json: {schema: {type: object, required: [errors], properties: {errors: {type: array, minItems: 1, items: {type: object, required: [status, title], properties: {status: {type: string}, title: {type: string}}}}}}}}}}
        post:
          requestBody: {content: {application/json: {schema: *post}}}
          responses: {'201': &one {description: one, content: {application/json: {schema: *post}}}, '400': *no}
        put:
          requestBody: {content: {application/json: {schema: *post}}}
          responses: {'200': *one, '400': *no, '404': *no}
      /posts/{id}:
        parameters: [{name: id, in: path, required: true, schema: {type: string}}]
        get: {responses: {'200': *one, '404': *no}}
        patch:
          requestBody: {content: {application/json: {schema: *post}}}
          responses: {'200': *one, '404': *no, '409': *no}
        delete: {responses: {'200': {description: gone, content: {application/json: {schema: {type: object, required: [deleted], properties: {deleted: {type: boolean}, id: {type: string}}}}}}, '404': *no}}
      /posts/{postId}/notes:
        parameters: [{name: postId, in: path, required: true, schema: {type: string}}]
        get: {responses: {'200': {description: all, content: {application/json: {schema: {type: array, items: {type: object}}}}}, '404': *no}}
        post: {requestBody: {content: {application/json: {schema: {type: object}}}}, responses: {'201': {description: made}, '404': *no}}
    """

  private static func served() throws -> Served {
    var served = try Served(text: Array(text.utf8))
    for (id, title) in [("a", "Zebra"), ("b", "Ant")] {
      #expect(
        served.send("POST", "/posts", ["id": .string(id), "attributes": ["title": .string(title)]]).status == 201)
    }
    return served
  }

  @Test func `Objects in the query are pages and filters, and reach into the objects of records`() throws {
    var served = try Self.served()
    func ids(_ query: String) -> [String]? {
      served.send("GET", "/posts?" + query).value.array?.compactMap { $0["id"]?.string }
    }
    #expect(ids("filter%5Btitle%5D=Ant") == ["b"])
    #expect(ids("sort=title&page%5Bsize%5D=2&page%5Bnumber%5D=1&$count=true") == ["b", "a"])
    #expect(served.send("GET", "/posts?filter=0").status == 400)
  }

  @Test func `A body names its record in a PUT of the list, and may not name another one in a PATCH`() throws {
    var served = try Self.served()
    #expect(served.send("PUT", "/posts", ["id": "b", "attributes": ["title": "Bee"]]).status == 200)
    #expect(served.send("GET", "/posts/b").value["attributes"]?["title"] == "Bee")
    #expect(served.send("PUT", "/posts", ["id": "x", "attributes": [:]]).status == 404)
    #expect(served.send("PATCH", "/posts/b", ["id": "a", "attributes": [:]]).status == 409)
  }

  @Test func `A message about a deleted record has its id, and an error without a list of problems an entry`() throws {
    var served = try Self.served()
    #expect(served.send("DELETE", "/posts/a").value == ["deleted": true, "id": "a"])
    let errors = served.send("GET", "/posts/a").value["errors"]
    #expect(errors == [["status": "404", "title": "posts has no record 'a'."]])
  }

  @Test(arguments: [("lang=", ""), ("a=b; lang=de; c=d", "de"), ("lang=a=b", "a=b"), ("language=de", nil)])
  func `A cookie may be empty`(_ sent: String, _ value: String?) {
    let request = DocumentRequest(method: "GET", segments: [], field: { $0 == "cookie" ? sent : nil })
    #expect(request.cookie("lang") == value)
  }

  @Test func `A parent's parameter may have another name below it`() throws {
    var served = try Self.served()
    #expect(served.send("POST", "/posts/a/notes", [:]).status == 201)
    #expect(served.send("DELETE", "/posts/a").status == 200)
    #expect(served.send("GET", "/posts/a/notes").status == 404)
  }

  @Test func `Behind an unknown cursor is nothing`() throws {
    var served = try Served("contacts.yaml")
    #expect(served.send("GET", "/v3/contacts?after=x").value["results"] == [])
    let response = served.send("GET", "/v3/activities?cursor=x")
    #expect(
      response.status == 200 && response.value["data"] == [] && response.value["pagination"]?["has_more"] == false)
  }

  @Test func `A write-only member never leaves, though it is required`() throws {
    var served = try Served("users.json")
    let user: JSONValue = ["email": "ada@example.com", "name": "Ada", "password": "12345678", "role": "admin"]
    let created = served.send("POST", "/users", user, fields: [("x-api-key", "k")])
    #expect(created.status == 201 && created.value["password"] == nil)
    let users = served.send("GET", "/users", fields: [("x-api-key", "k")]).value["users"]?.array ?? []
    #expect(users.count == 4 && users.allSatisfy { $0["password"] == nil })
  }

  /// Documents write choices so that all have the members of what offers them. None may lead on for ever.
  @Test(arguments: [
    "oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]",
    "anyOf: [{$ref: '#/components/schemas/Pet'}, {$ref: '#/components/schemas/Cat'}]",
  ])
  func `A choice may begin with the schema that offers it`(_ choices: String) throws {
    let schema = "{content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}"
    var served = try Served(
      text: Array(
        """
        openapi: 3.0.3
        paths:
          /pets: {post: {requestBody: \(schema), responses: {201: \(schema), 400: {description: No.}}}}
          /pets/{id}: {get: {parameters: [{name: id, in: path, schema: {type: integer}}], responses: {200: \(schema)}}}
        components:
          schemas:
            Pet: {properties: {id: {type: integer}, kind: {type: string}}, \(choices)}
            Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {kind: {enum: [cat]}}, required: [kind]}]}
            Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {kind: {enum: [dog]}}, required: [kind]}]}
        """.utf8))
    #expect(served.send("GET", "/pets/1").status == 200)
    #expect(served.send("POST", "/pets", ["kind": "cat"]).status == 201)
    #expect(served.send("POST", "/pets", ["kind": 1]).status == 400)
  }

  @Test func `A file of a form is a text where the schema has one`() throws {
    var served = try Served("accounts.yaml")
    let form: JSONValue = [
      "title": "Terms", "file": ["filename": "terms.pdf", "type": "application/pdf", "size": 3, "data": "YWJj"],
    ]
    #expect(served.send("POST", "/documents", form, type: "multipart/form-data").status == 201)
  }
}
