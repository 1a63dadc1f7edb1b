import JSONDatabase
import JSONServerValues

/// Reads a source's text into a database.
struct SourceParser: Sendable {
  let schema: Schema
  let ids: IDGenerator
  /// Called for about each MiB of records, with the number of bytes since the last call.
  var onRead: (@Sendable (Int) -> Void)?

  /// Reads text that a source of this name holds; a source that is empty is an empty database, as in json-server.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func parseSource(_ text: UTF8Slice, name: String) throws(SourceFault) -> Database {
    let isBlank = text.withBytes { $0.allSatisfy(JSONSyntax.isWhitespace) }
    return try parse(isBlank ? UTF8Slice("{}") : text, name: name)
  }

  /// Reads text of this name.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func parse(_ text: UTF8Slice, name: String) throws(SourceFault) -> Database {
    do throws(JSONError) {
      return try Database(parsing: try plainJSON(text, name: name), schema: schema, ids: ids, onRead: onRead)
    } catch {
      throw SourceFault(error, name: name, text: text)
    }
  }

  /// Reads text that a file of a directory holds.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func part(_ text: UTF8Slice, resource: String, path: String) throws(SourceFault) -> DatabasePart {
    do throws(JSONError) {
      return try DatabasePart(
        name: resource, parsing: try plainJSON(text, name: path), schema: schema, onRead: onRead)
    } catch {
      throw SourceFault(error, name: path, text: text)
    }
  }

  private func plainJSON(_ text: UTF8Slice, name: String) throws(JSONError) -> UTF8Slice {
    guard name.hasSuffix(".json5") else { return text }
    return UTF8Slice(
      try text.withBytes { bytes throws(JSONError) in
        try JSON5.json(from: bytes, maximumDepth: schema.maximumDepth)
      })
  }
}

/// Why a source's text cannot be served, with the line it is about.
struct SourceFault: Error, Sendable, CustomStringConvertible {
  /// The fault and the remedy, for a source whose text nobody has written.
  let message: String
  /// The place, the fault and the remedy: `database.json:3:5: expected ',' or '}', found '"'`.
  let description: String
  /// The line and a caret under the column.
  let excerpt: String
  /// The same for a stranger, who learns the file's name and not where it lies.
  let publicDescription: String

  init(_ error: JSONError, name: String, text: UTF8Slice) {
    message = error.message
    description = "\(name):\(error.line):\(error.column): \(error.message)"
    let file = name.split(separator: "/").last ?? "-"
    publicDescription =
      "\(file) is broken at line \(error.line), column \(error.column): \(error.message)"
    excerpt = text.withBytes { Excerpt(of: $0, at: error.offset).text }
  }
}
