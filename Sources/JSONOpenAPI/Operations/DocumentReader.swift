import JSONDatabase
import JSONServerValues

/// Reads the operations of a document.
struct DocumentReader {
  typealias Node = DocumentFiles.Node
  typealias Fault = DocumentFiles.Fault

  var schemas: JSONSchema.Reader
  var operations: [Operation] = []
  var collections: [Collection] = []
  var paths = PathTree()
  /// What is wrong, and keeps nothing from being served.
  private(set) var notes: [Fault] = []
  /// The contents of bodies, by their places: many operations share a response.
  private var contents: [String: [Operation.Content]] = [:]
  /// The examples of bodies, with their schemas.
  private var examples: [(node: Node, schema: [JSONSchema.ID])] = []
  /// The paths with their segments, also with `{}` for each parameter, and their operations by method.
  var items: [(path: String, segments: [String], form: [String], operations: [String: Int])] = []
  /// The place of each operation.
  var places: [Node] = []
  /// The positions of the paths by their segments, whatever the names of the parameters.
  private(set) var positions: [[String]: Int] = [:]
  private var operationIDs: [String: String] = [:]
  /// Whether some value satisfies a schema.
  var satisfiable: [JSONSchema.ID: Bool] = [:]

  var files: DocumentFiles {
    get { schemas.files }
    set { schemas.files = newValue }
  }

  init(_ files: DocumentFiles) { schemas = JSONSchema.Reader(files) }

  private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

  mutating func read() throws(Fault) {
    let root = files.root
    if let swagger = root["swagger"] {
      throw Fault(
        node: swagger,
        message: "Swagger \(swagger.value.string ?? "2.0") is not served; convert the document to OpenAPI 3.")
    }
    guard let version = root["openapi"] else {
      throw Fault(node: root, message: "This is no OpenAPI document: it lacks 'openapi: 3.1.0'; add the version.")
    }
    let text = version.value.string ?? version.value.text()
    guard text.hasPrefix("3.") else {
      throw Fault(node: version, message: "OpenAPI \(text) is not served; convert the document to 3.0 or 3.1.")
    }
    guard let paths = root["paths"], paths.value.object != nil else {
      throw Fault(
        node: root["paths"] ?? root, message: "The document has no 'paths', so that nothing can be served; add some.")
    }
    for (path, node) in paths.members where !path.hasPrefix("x-") { try readPath(path, node) }
    // A schema that no operation uses may have a reference without a target, too.
    for (_, node) in root["components"]?["schemas"]?.members ?? [] {
      do throws(Fault) {
        _ = try schemas.id(of: node)
      } catch {
        guard error.isLocal else { throw error }
      }
    }
    if let loop = schemas.loop {
      throw Fault(node: loop, message: "This schema is a part of itself; write what its values are.")
    }
    guard !operations.isEmpty else {
      throw Fault(node: paths, message: "The document has no operations, so that nothing can be served; add a path.")
    }
    classify()
    for (node, ids) in schemas.examples + examples {
      let problem = schemas.schema.problems(of: node.value, by: ids).first { $0.message != Problem.missing }
      // A member that is missing is filled; and some values may be valid only with the rest of a schema.
      guard let problem else { continue }
      let kind = node.name == "default" ? "default" : "example"
      let place = problem.pointer.isEmpty ? "it" : "'\(problem.pointer)'"
      notes.append(
        Fault(node: node, message: "This \(kind) is not as its schema says: \(place) \(problem.message); correct it."))
    }
  }

  private mutating func readPath(_ path: String, _ node: Node) throws(Fault) {
    guard path.hasPrefix("/") else {
      throw Fault(node: node, message: "The path '\(path)' does not begin with '/'; write '/\(path)'.")
    }
    let item = try files.resolved(node)
    guard item.value.object != nil else {
      throw Fault(node: node, message: "The path '\(path)' is no object of methods; write 'get:' and so on below it.")
    }
    let segments = path.split(separator: "/").map(String.init)
    for segment in segments where segment.contains("{") != segment.contains("}") {
      throw Fault(node: node, message: "The path '\(path)' has one brace alone in '\(segment)'; write '{name}'.")
    }
    let form = Self.form(of: segments)
    if let other = positions.updateValue(items.count, forKey: form) {
      throw Fault(
        node: node,
        message: "The paths '\(items[other].path)' and '\(path)' are the same; put their methods into one.")
    }
    let shared = try item.list("parameters")
    var methods: [String: Int] = [:]
    for (name, operation) in item.members where Self.methods.contains(name) {
      guard operation.value.object != nil else {
        throw Fault(node: operation, message: "'\(name)' of '\(path)' is no object; write 'responses:' below it.")
      }
      methods[name.uppercased()] = operations.count
      places.append(operation)
      operations.append(try read(name.uppercased(), path, segments, operation, shared))
    }
    items.append((path, segments, form, methods))
    paths.insert(segments[...], methods.values.sorted())
  }

  /// Whether a text is a status, or a class of them: `200`, `4XX`.
  private static func isStatus(_ text: String) -> Bool {
    guard let first = text.utf8.first, UInt8(ascii: "1")...UInt8(ascii: "5") ~= first, text.utf8.count == 3 else {
      return false
    }
    return ["XX", "xx"].contains(text.dropFirst()) || text.utf8.allSatisfy("0123456789".utf8.contains)
  }

  /// The segments of a path, whatever the names of its parameters: `/a/{id}` and `/a/{b}` lead to the same.
  static func form(of segments: [String]) -> [String] {
    segments.map { segment in PathTree.parts(of: segment).map { $0.before + "{}" + $0.after } ?? segment }
  }

  private mutating func read(
    _ method: String, _ path: String, _ segments: [String], _ node: Node, _ shared: [Node]
  ) throws(Fault) -> Operation {
    var operation = Operation(
      method: method, path: path, pathIndex: items.count,
      lastParameter: segments.last.flatMap { PathTree.parts(of: $0)?.name })
    if let id = node["operationId"], let text = id.value.string,
      let other = operationIDs.updateValue("\(method) \(path)", forKey: text)
    {
      notes.append(Fault(node: id, message: "The operationId '\(text)' is that of \(other), too; write another one."))
    }
    do throws(Fault) {
      for parameter in shared + (try node.list("parameters")) { try readParameter(parameter, into: &operation) }
      for name in segments.compactMap({ PathTree.parts(of: $0)?.name })
      where !operation.parameters.contains(where: { $0.name == name && $0.location == .path }) {
        throw Fault(
          node: node,
          message: "The parameter '{\(name)}' of the path '\(path)' is not described; add it to 'parameters'.")
      }
      if let body = try node["requestBody"].map({ body throws(Fault) in try files.resolved(body) }) {
        operation.body = (body["required"]?.value == true, try contents(of: body))
      }
      for (status, reply) in try node.object("responses") where !status.hasPrefix("x-") {
        guard status == "default" || Self.isStatus(status) else {
          throw Fault(
            node: reply, message: "'\(status)' is no status; write one such as '200', '4XX' or 'default'.",
            isLocal: true)
        }
        let reply = try files.resolved(reply)
        guard reply.value.object != nil else {
          throw Fault(node: reply, message: "The response '\(status)' is no object; write 'description:' below it.")
        }
        var headers: [(name: String, isRequired: Bool, schema: [JSONSchema.ID])] = []
        for (name, header) in try reply.object("headers") where name.lowercased() != "content-type" {
          let header = try files.resolved(header)
          headers.append((name, header["required"]?.value == true, try schema(of: header)))
        }
        operation.replies.append(Operation.Reply(status: status, contents: try contents(of: reply), headers: headers))
      }
      guard !operation.replies.isEmpty else {
        throw Fault(node: node, message: "\(method) \(path) lists no response; add one to 'responses'.", isLocal: true)
      }
      operation.security = try security(of: node)
    } catch {
      guard error.isLocal else { throw error }
      operation.kind = .refused(files.placed(error))
    }
    return operation
  }

  private mutating func schema(of node: Node) throws(Fault) -> [JSONSchema.ID] {
    guard let schema = node["schema"] else { return [] }
    return [try schemas.id(of: schema)]
  }

  private mutating func contents(of node: Node) throws(Fault) -> [Operation.Content] {
    let key = node.file + node.pointer
    if let contents = contents[key] { return contents }
    var contents: [Operation.Content] = []
    for (type, content) in try node.object("content") {
      var found = content["example"].map { [(name: "", node: $0)] } ?? []
      for (name, example) in try content.object("examples") {
        if let value = try files.resolved(example)["value"] { found.append((name, value)) }
      }
      let ids = try schema(of: content)
      examples += found.map { ($0.node, ids) }
      let values = found.map { (name: $0.name, value: $0.node.value) }
      contents.append(Operation.Content(type: type, schema: ids, examples: values))
    }
    self.contents[key] = contents
    return contents
  }

  private mutating func readParameter(_ node: Node, into operation: inout Operation) throws(Fault) {
    let node = try files.resolved(node)
    guard let name = node["name"]?.value.string,
      let location = node["in"]?.value.string.flatMap(Operation.Parameter.Location.init)
    else {
      throw Fault(
        node: node, message: "A parameter needs a 'name', and 'in' with path, query, header or cookie; add them.")
    }
    // What these fields hold, the document says elsewhere.
    if location == .header, ["accept", "content-type", "authorization"].contains(name.lowercased()) { return }
    let content = node["content"]?.members.first?.node
    if (content ?? node)["schema"] == nil {
      notes.append(
        Fault(node: node, message: "The parameter '\(name)' has no schema, so that it may be any text; add one."))
    }
    let style = node["style"]?.value.string ?? (location == .query || location == .cookie ? "form" : "simple")
    operation.parameters.removeAll { $0.name == name && $0.location == location }
    operation.parameters.append(
      Operation.Parameter(
        name: name, location: location, isRequired: node["required"]?.value == true || location == .path,
        schema: try schema(of: content ?? node), isJSON: content != nil, style: style,
        explodes: node["explode"]?.value.bool ?? (style == "form" || style == "deepObject"),
        allowsEmpty: node["allowEmptyValue"]?.value == true))
  }

  private mutating func security(of node: Node) throws(Fault) -> [[Operation.Credential]] {
    let needs = node["security"] ?? files.root["security"]
    var alternatives: [[Operation.Credential]] = []
    for need in needs?.elements ?? [] {
      var credentials: [Operation.Credential] = []
      for (name, place) in need.members {
        guard let scheme = files.root["components"]?["securitySchemes"]?[name] else {
          throw Fault(node: place, message: "The security scheme '\(name)' is not described; add it to 'components'.")
        }
        let resolved = try files.resolved(scheme)
        let location = resolved["in"]?.value.string.flatMap(Operation.Parameter.Location.init) ?? .header
        switch resolved["type"]?.value.string {
        case "apiKey": credentials.append(.key(name: resolved["name"]?.value.string ?? "", location))
        case "http": credentials.append(.authorization(scheme: resolved["scheme"]?.value.string ?? "bearer"))
        case "mutualTLS": break
        default: credentials.append(.authorization(scheme: "bearer"))
        }
      }
      alternatives.append(credentials)
    }
    return alternatives
  }
}
