package import JSONDatabase
package import JSONServerValues

/// A JSON Schema of all data: `properties` has the resources by name, `items` the records of a collection.
package struct DataSchema: Sendable {
  /// The reason why a schema cannot be used.
  package struct Fault: Error {
    /// The place as a JSON Pointer, `#/items`.
    package let pointer: String
    package let message: String
  }

  private let schema: JSONSchema
  private let root: JSONSchema.ID

  /// The keywords and formats that are not checked.
  package var ignored: [String] { schema.ignored }

  /// Reads a schema.
  ///
  /// - Throws: The place of an invalid pattern, of a reference without target, or of an invalid schema.
  package init(_ value: JSONValue) throws(Fault) {
    let files = DocumentFiles(value)
    var reader = JSONSchema.Reader(files)
    do throws(DocumentFiles.Fault) {
      root = try reader.id(of: files.root)
      for definitions in ["$defs", "definitions"] {
        for (_, node) in files.root[definitions]?.members ?? [] { _ = try reader.id(of: node) }
      }
    } catch {
      throw Fault(pointer: error.node.pointer, message: error.message)
    }
    schema = reader.schema
  }

  /// Finds the problems of a record, or of a single resource.
  package func problems(in value: ValidJSON, of resource: String, isRecord: Bool) -> [Problem] {
    var ids = schema.property(resource, of: [root])
    if isRecord { ids = schema.items(of: ids) }
    return ids.isEmpty ? [] : schema.problems(of: JSONValue(value), by: ids)
  }
}
