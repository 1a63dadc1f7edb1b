package import JSONDatabase
import JSONOpenAPI
import JSONServerValues

extension Server.Configuration {
  /// The checks of the bodies that clients send.
  ///
  /// - Throws: ``ServerError`` with code `invalidConfiguration` for an invalid schema, and for a member without its
  ///   resource.
  package func bodyChecks() throws(ServerError) -> Checks {
    var checks = Checks()
    checks.followsData = checksBodies
    for name in uniqueMembers {
      let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts.contains("") else {
        throw refusal("uniqueMembers", "'\(name)' names no member of a resource that is unique; write users.email.")
      }
      checks.unique[parts[0], default: []].append(parts[1])
    }
    if let jsonSchema {
      let schema: DataSchema
      do throws(DataSchema.Fault) {
        schema = try DataSchema(jsonSchema)
      } catch {
        throw refusal("jsonSchema", "The JSON schema cannot be used: at \(error.pointer), \(error.message).")
      }
      checks.shape = { resource, isRecord, value in schema.problems(in: value, of: resource, isRecord: isRecord) }
    }
    return checks
  }

  /// Warnings about parts of a schema that are not checked.
  var schemaWarnings: [String] {
    let ignored = jsonSchema.flatMap { try? DataSchema($0).ignored } ?? []
    return ignored.isEmpty
      ? [] : ["The JSON schema's \(ignored.joined(separator: ", ")) have no effect; everything else is checked."]
  }

  /// The same configuration with the schema that the data's first member `$schema` names, if bodies are checked and no
  /// schema is set.
  func namingSchema() throws(ServerError) -> Server.Configuration {
    guard let (path, place) = namedSchema else { return self }
    guard let text = OpenFile.contents(of: place) else {
      onEvent(.warning("$schema: '\(path)' cannot be read, and has no effect; check its name."))
      return self
    }
    var configuration = self
    do throws(JSONError) {
      configuration.jsonSchema = try JSONValue(parsing: text)
    } catch {
      throw ServerError(.invalidConfiguration, "\(place):\(error.description)")
    }
    return configuration
  }

  /// The file of the schema that ``namingSchema()`` reads; `nil` for none. It may be missing.
  package var schemaFile: String? { namedSchema?.place }

  private var namedSchema: (path: String, place: String)? {
    guard checksBodies, jsonSchema == nil, let (path, directory) = schemaReference, !path.contains("://") else {
      return nil
    }
    return (path, path.hasPrefix("/") ? path : directory + path)
  }

  /// The path of the schema in the data, and the directory of a relative path, with its slash.
  private var schemaReference: (path: String, directory: String)? {
    switch source {
    case .value(let value): value["$schema"]?.string.map { ($0, "") }
    case .text(let bytes, let name): Self.firstReference(in: bytes.prefix(4096)).map { ($0, Self.directory(of: name)) }
    case .file(let path):
      OpenFile(path: path).flatMap { Self.firstReference(in: $0.read(from: 0, count: min($0.size, 4096))[...]) }
        .map { ($0, Self.directory(of: path)) }
    case .directory, .postgreSQL: nil
    }
  }

  private static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The text of a member `$schema`, if it is the first member.
  private static func firstReference(in bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    let match = text.prefixMatch(of: /[^{]*\{\s*"\$schema"[\s:]*("[^"]*")/)
    return match.flatMap { try? JSONValue(parsing: Array($0.1.utf8)).string }
  }
}
