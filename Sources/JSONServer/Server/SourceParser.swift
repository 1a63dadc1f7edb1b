import JSONDatabase
import JSONServerValues

/// Parses a source's text.
struct SourceParser: Sendable {
  let schema: Schema
  let ids: IDGenerator
  /// Called after about each MiB of records, with the number of bytes since the last call.
  var onRead: (@Sendable (Int) -> Void)?

  /// Parses the text of a source; an empty source is an empty database, as in json-server.
  ///
  /// - Throws: ``SourceFault`` with the place of the first error.
  func parseSource(_ text: UTF8Slice, name: String) throws(SourceFault) -> Database {
    let isBlank = text.withBytes { $0.allSatisfy(JSONSyntax.isWhitespace) }
    return try parse(isBlank ? UTF8Slice("{}") : text, name: name)
  }

  /// Parses a text.
  ///
  /// - Throws: ``SourceFault`` with the place of the first error.
  func parse(_ text: UTF8Slice, name: String) throws(SourceFault) -> Database {
    do throws(JSONError) {
      return try Database(parsing: try plainJSON(text, name: name), schema: schema, ids: ids, onRead: onRead)
    } catch {
      throw SourceFault(error, name: name, text: text)
    }
  }

  /// Parses the text of a file in a directory.
  ///
  /// - Throws: ``SourceFault`` with the place of the first error.
  func part(_ text: UTF8Slice, resource: String, path: String) throws(SourceFault) -> DatabasePart {
    do throws(JSONError) {
      return try DatabasePart(
        name: resource, parsing: try plainJSON(text, name: path), schema: schema, onRead: onRead)
    } catch {
      throw SourceFault(error, name: path, text: text)
    }
  }

  /// Parses the text of a source that is not a file to be watched.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid` and the place of the first error.
  func database(_ text: UTF8Slice, name: String) throws(ServerError) -> Database {
    do throws(SourceFault) {
      return try parseSource(text, name: name)
    } catch {
      throw ServerError(error)
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

/// The reason why a source's text cannot be served, with its line.
struct SourceFault: Error, Sendable, CustomStringConvertible {
  /// The error and what to do, for a source that is not a file.
  let message: String
  /// The place, the error and what to do: `database.json:3:5: expected ',' or '}', found '"'`.
  let description: String
  /// The line, with a caret below the column.
  let excerpt: String
  /// The description for clients, with the file's name but without its directory.
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
