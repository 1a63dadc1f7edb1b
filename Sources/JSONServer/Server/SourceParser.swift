import JSONDatabase
import JSONServerValues
import JSONStorage

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
    try parse(isBlank(text) ? UTF8Slice("{}") : text, name: name)
  }

  /// Parses a text with an object or, in a file with a name, an array.
  ///
  /// - Throws: ``SourceFault`` with the place of the first error.
  func parseDocument(_ text: UTF8Slice, name: String) throws(SourceFault) -> Database {
    guard let resource = text.withBytes({ Source.arrayName(of: $0, in: name) }) else {
      return try parse(text, name: name)
    }
    return Database(joining: [try part(text, resource: resource, path: name)], schema: schema, ids: ids)
  }

  /// Parses a text with an object.
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

  /// Parses the text of a file that held an array when the server started.
  ///
  /// - Throws: ``SourceFault`` with the place of the first error.
  func array(_ text: UTF8Slice, resource: String, path: String) throws(SourceFault) -> DatabasePart {
    let part = try part(text, resource: resource, path: path)
    guard part.isCollection else {
      let error = text.withBytes {
        JSONError(.unsuitable, "the array became an object; restart the server to serve its resources", at: 0, in: $0)
      }
      throw SourceFault(error, name: path, text: text)
    }
    return part
  }

  /// Parses the text of a source that is not a file to be watched.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid` and the place of the first error.
  func database(_ text: UTF8Slice, name: String) throws(ServerError) -> Database {
    do throws(SourceFault) {
      return try isBlank(text) ? parseSource(text, name: name) : parseDocument(text, name: name)
    } catch {
      throw ServerError(error)
    }
  }

  private func isBlank(_ text: UTF8Slice) -> Bool { text.withBytes { $0.allSatisfy(JSONSyntax.isWhitespace) } }

  private func plainJSON(_ text: UTF8Slice, name: String) throws(JSONError) -> UTF8Slice {
    guard name.hasSuffix(".json5") else { return text }
    return UTF8Slice(
      try text.withBytes { bytes throws(JSONError) in
        try JSON5.json(from: bytes, maximumDepth: schema.maximumDepth)
      })
  }
}

extension Source {
  /// The collection that a file with an array holds, by the file's name: `posts` for `posts.json`.
  ///
  /// - Parameter text: The text, or its beginning.
  /// - Returns: `nil` for another text, and for a name that is not one of a JSON file.
  package static func arrayName(of text: UnsafeBufferPointer<UInt8>, in path: String) -> String? {
    let start = text[JSONSyntax.endOfByteOrderMark(in: text)...]
    let file = path.split(separator: "/").last ?? ""
    guard start.first(where: { !JSONSyntax.isWhitespace($0) }) == UInt8(ascii: "["),
      let name = DirectoryListing.stem(of: file), !name.isEmpty
    else { return nil }
    // The address /db has all data.
    return name.lowercased() == "db" ? "items" : name
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
