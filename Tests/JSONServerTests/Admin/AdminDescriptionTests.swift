import HTTPTypes
import JSONDescription
import JSONServerValues
import Testing

@testable import JSONServer

/// `/__admin/openapi.json` says of `/__admin` what the router does: both read one table.
@Suite struct `The description of the admin interface` {
  private static let document = JSONValue.object(
    OpenAPIAdmin.adding(
      AdminRoute.table.map(\.operation), faultActions: Response.Delivery.actions.map(\.name), to: JSONObject()))

  @Test func `has an operation for each route, to which a request of it leads`() throws {
    #expect(AdminRoute.table.count > 30)
    for route in AdminRoute.table {
      let (path, method, value) = route.operation
      #expect(Self.document["paths"]?[path]?[method] == value, "\(method) \(path)")
      let segments = path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }
      let request = Request(
        method: try #require(HTTPRequest.Method(method.uppercased())), target: "/" + segments.joined(separator: "/"))
      #expect(try AdminRoute.route(of: request, segments.dropFirst()) === route, "\(method) \(path)")
    }
  }

  @Test func `gives each operation a name of its own`() {
    let names = AdminRoute.table.compactMap { $0.operation.value["operationId"]?.string }
    #expect(Set(names).count == AdminRoute.table.count)
  }

  @Test func `refers only to what it has`() {
    func references(_ value: JSONValue) -> [String] {
      switch value {
      case .object(let object): object.flatMap { $0 == "$ref" ? [$1.string ?? ""] : references($1) }
      case .array(let values): values.flatMap(references)
      case .null, .bool, .number, .string: []
      }
    }
    for reference in references(Self.document) where !reference.hasSuffix("/responses/Error") {
      let target = reference.split(separator: "/").dropFirst().reduce(Self.document as JSONValue?) { $0?[String($1)] }
      #expect(target != nil, "\(reference)")
    }
  }

  @Test func `is served beside that of the data`() async throws {
    let server = try await AdminFixture.server(["posts": [["id": 1, "title": "a"]]]) { $0.wrapName = "data" }
    let document = try await server.get("/__admin/openapi.json")
    let paths = try #require(document["paths"]?.object)
    #expect(paths["/__admin/faults/{id}"]?["delete"] != nil)
    let list = paths["/posts"]?["get"]?["responses"]?["200"]?["content"]?["application/json"]?["schema"]
    #expect(list?["required"] == ["data", "total"])
    #expect(list?["properties"]?["data"]?["type"] == "array")
    let record = paths["/posts/{id}"]?["get"]?["responses"]?["200"]?["content"]?["application/json"]?["schema"]
    #expect(record?["required"] == ["data"])
  }

  @Test func `says where PUT creates a record`() async throws {
    let server = try await AdminFixture.server { $0.upserts = ["posts"] }
    let paths = try await server.get("/__admin/openapi.json")["paths"]
    #expect(paths?["/posts/{id}"]?["put"]?["responses"]?["201"] != nil)
    #expect(paths?["/comments/{id}"]?["put"]?["responses"]?["201"] == nil)
  }
}
