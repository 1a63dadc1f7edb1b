import JSONDatabase
import OrderedJSON

/// Reads a source's text into a database.
struct SourceParser: Sendable {
  let schema: Schema
  let ids: IDGenerator

  /// Reads text that a file or another source of this name holds.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func parse(_ text: UTF8Slice, name: String) throws(SourceFault) -> Database {
    do throws(LoadError) {
      return try Database(parsing: try plainJSON(text, name: name), schema: schema, ids: ids)
    } catch {
      throw SourceFault(error, name: name, text: text)
    }
  }

  /// Reads text that a file of a directory holds.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func part(_ text: UTF8Slice, resource: String, path: String) throws(SourceFault) -> DatabasePart {
    do throws(LoadError) {
      return try DatabasePart(name: resource, parsing: try plainJSON(text, name: path), schema: schema)
    } catch {
      throw SourceFault(error, name: path, text: text)
    }
  }

  private func plainJSON(_ text: UTF8Slice, name: String) throws(LoadError) -> UTF8Slice {
    guard name.hasSuffix(".json5") else { return text }
    return try text.withBytes { bytes throws(LoadError) in
      do throws(JSONError) {
        return UTF8Slice(try JSON5.json(from: bytes, maximumDepth: schema.maximumDepth))
      } catch {
        throw LoadError(error, in: bytes)
      }
    }
  }
}

/// Why a source's text cannot be served, with the line it is about.
struct SourceFault: Error, Sendable, CustomStringConvertible {
  /// The place, the fault and the remedy: `database.json:3:5: expected ',' or '}', found '"'`.
  let description: String
  /// The line and a caret under the column.
  let excerpt: String

  init(_ error: LoadError, name: String, text: UTF8Slice) {
    description = "\(name):\(error.position.line):\(error.position.column): \(error.message)"
    excerpt = text.withBytes { Excerpt(of: $0, at: error.offset).text }
  }
}
