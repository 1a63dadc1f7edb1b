import JSONServerValues

/// A fault of a document: its place, what is wrong, and what to do.
package struct DocumentFault: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String
  /// The line and the column, from 1.
  package let line: Int
  package let column: Int
  package let message: String

  /// The fault in one line: `openapi.yaml:3:5: the reference '#/x' has no target; …`.
  package var description: String { "\(file):\(line):\(column): \(message)" }
}

extension Document {
  /// Creates the fault of a value in a JSON or YAML text, by the value's path.
  package static func fault(_ message: String, at path: [String], in text: [UInt8], name: String) -> DocumentFault {
    YAMLReader.Places(in: text, name: name).fault(message, at: path)
  }

  /// Whether a text is an OpenAPI document, by its name or its members.
  package static func isDocument(_ text: [UInt8], name: String) -> Bool {
    if [".yaml", ".yml"].contains(where: name.hasSuffix) { return true }
    let start = String(decoding: text.prefix(4096), as: UTF8.self)
    guard start.contains("\"openapi\"") || start.contains("\"swagger\"") else { return false }
    guard let value = try? YAMLReader.value(of: text, name: name) else { return start.contains("\"paths\"") }
    return (value["openapi"] ?? value["swagger"])?.string != nil
  }
}
