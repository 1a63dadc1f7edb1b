import HTTPTypes
import JSONDescription
import OrderedJSON
import Testing

@testable import JSONServer

/// `/__admin/openapi.json` says of `/__admin` what the router does.
@Suite struct `The description of the admin interface` {
  private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

  private static let document = JSONValue.object(OpenAPIAdmin.added(to: JSONObject()))

  /// The operations of the document, as `get /__admin/health`.
  private static var described: Set<String> {
    let paths = document["paths"]?.object.map(Array.init) ?? []
    return Set(paths.flatMap { path, item in item.object?.names.map { "\($0) \(path)" } ?? [] })
  }

  /// Whether the router leads a request anywhere.
  private static func isRouted(_ method: HTTPRequest.Method, _ segments: [String]) -> Bool {
    let request = Request(method: method, target: "/__admin/" + segments.joined(separator: "/"))
    do throws(RequestError) {
      _ = try AdminRoute(request, segments[...], QueryParameters())
      return true
    } catch {
      return !error.saysNothingIsThere
    }
  }

  @Test func `has no operation that the router lacks`() {
    #expect(Self.described.count > 30)
    for operation in Self.described {
      let parts = operation.split(separator: " ")
      let segments = parts[1].split(separator: "/").dropFirst().map { $0.hasPrefix("{") ? "1" : String($0) }
      let method = HTTPRequest.Method(parts[0].uppercased())
      #expect(method.map { Self.isRouted($0, segments) } == true, "\(operation)")
    }
  }

  @Test(arguments: AdminRoute.names + ["docs"])
  func `lacks no operation of the router`(_ name: String) {
    let described = Set(
      Self.described.map { operation in
        operation.split(separator: "/", omittingEmptySubsequences: false)
          .map { $0.hasPrefix("{") ? "*" : $0 }.joined(separator: "/")
      })
    for method in Self.methods {
      for rest in [[], ["1"], ["expire"]] where Self.isRouted(method, [name] + rest) {
        let path =
          "\(method.rawValue.lowercased()) /__admin/"
          + ([name] + rest.map { $0 == "1" ? "*" : $0 }).joined(separator: "/")
        let isDescribed = described.contains(path) || described.contains(path.replacing("/expire", with: "/*"))
        #expect(isDescribed, "\(path)")
      }
    }
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
}
