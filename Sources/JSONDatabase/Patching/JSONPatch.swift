package import JSONServerValues

/// A description of changes to a JSON document.
package enum Patch: Sendable {
  /// Members to set and, with `null`, to remove (RFC 7396).
  case merge(ValidJSON)
  /// Operations to apply in order (RFC 6902).
  case operations([PatchOperation])

  /// Returns the changed document.
  ///
  /// - Parameters:
  ///   - maximumDepth: The deepest nesting of the document.
  ///   - maximumGrowth: The largest number of bytes by which operations may enlarge the document.
  ///   - maximumSize: The largest number of bytes that the operations may read, write and move: `copy` may double a
  ///     document repeatedly.
  /// - Throws: ``DatabaseError`` with code `conflict`, `invalidBody` for a document that would be nested too deeply, or
  ///   `tooLarge`; the document is not changed then.
  /// - Complexity: O(size of the document and the patch), and for operations that of what they move, at most `maximumSize`.
  package func applied(
    to document: ValidJSON, maximumDepth: Int, maximumGrowth: Int = .max, maximumSize: Int = 64 << 20
  ) throws(DatabaseError) -> ValidJSON {
    switch self {
    case .merge(let patch): return ValidJSON(writing: JSONValue(patch).merged(into: JSONValue(document)))
    case .operations(let operations):
      var draft = DocumentDraft(
        document, maximumDepth: maximumDepth, maximumGrowth: maximumGrowth, maximumSize: maximumSize)
      for operation in operations { try operation.apply(to: &draft) }
      return ValidJSON(writing: draft.document)
    }
  }

  /// Whether the patch takes noticeably long even for a small document: each of a few copies may double it.
  var isLong: Bool {
    switch self {
    case .merge: false
    case .operations(let operations): operations.count > 8
    }
  }

  /// Whether the patch changes or removes a member.
  package func names(_ member: [UInt8]) -> Bool {
    switch self {
    case .merge(let patch): patch.member(member) != nil
    case .operations(let operations): operations.contains { $0.names(member) }
    }
  }

  /// Whether the patch may add a member to a document.
  package func mayAdd(_ member: [UInt8]) -> Bool {
    switch self {
    case .merge(let patch): patch.member(member) != nil
    case .operations(let operations): operations.contains { $0.mayAdd(member) }
    }
  }
}

/// One operation of a JSON Patch (RFC 6902, section 4).
package struct PatchOperation: Sendable {
  private enum Action: Sendable {
    case add(JSONValue)
    case remove
    case replace(JSONValue)
    case move(from: JSONPointer)
    case copy(from: JSONPointer)
    case test(JSONValue)
  }

  private let name: String
  private let action: Action
  private let path: JSONPointer
  /// The position in the patch, from 0.
  private let index: Int

  /// Reads the operations of a patch.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidBody`.
  package static func all(in patch: ValidJSON) throws(DatabaseError) -> [PatchOperation] {
    guard let elements = patch.elements else {
      throw DatabaseError(.invalidBody, "A JSON Patch is an array of operations; this is \(patch.kind.description).")
    }
    var operations: [PatchOperation] = []
    for element in elements { operations.append(try PatchOperation(element, index: operations.count)) }
    return operations
  }

  private init(_ object: ValidJSON, index: Int) throws(DatabaseError) {
    func malformed(_ reason: String) -> DatabaseError {
      DatabaseError(.invalidBody, "Operation \(index) of the patch \(reason).")
    }
    let members = try Self.members(object, malformed)
    func string(_ name: String) throws(DatabaseError) -> String {
      guard let value = members[name] else { throw malformed("lacks '\(name)'") }
      guard let text = JSONValue(value).string else {
        throw malformed("has the \(name) \(value.string.prefix(40)), which is not a string")
      }
      return text
    }
    func pointer(_ name: String) throws(DatabaseError) -> JSONPointer {
      let text = try string(name)
      guard let pointer = JSONPointer(text) else {
        throw malformed(
          "has the \(name) '\(text)', which is not a JSON Pointer: begin with '/', and write '~' as '~0', '/' as '~1'")
      }
      return pointer
    }
    func value() throws(DatabaseError) -> JSONValue {
      guard let value = members["value"] else { throw malformed("lacks 'value'") }
      return JSONValue(value)
    }
    self.index = index
    name = try string("op")
    switch name {
    case "add": action = .add(try value())
    case "remove": action = .remove
    case "replace": action = .replace(try value())
    case "move": action = .move(from: try pointer("from"))
    case "copy": action = .copy(from: try pointer("from"))
    case "test": action = .test(try value())
    default: throw malformed("is '\(name)'; operations are add, remove, replace, move, copy and test")
    }
    path = try pointer("path")
    if case .move(let from) = action, from.contains(path) {
      throw DatabaseError(
        .conflict, "Operation \(index) of the patch moves '\(from.text)' into itself, to '\(path.text)'.")
    }
  }

  /// The known members, each of which may occur only once: it would be unclear which one counts.
  private static func members(
    _ object: ValidJSON, _ malformed: (String) -> DatabaseError
  ) throws(DatabaseError) -> [String: ValidJSON] {
    guard let all = object.members else { throw malformed("is \(object.kind.description), not an object") }
    var members: [String: ValidJSON] = [:]
    for (name, _, value) in all where ["op", "path", "from", "value"].contains(name) {
      guard members.updateValue(value, forKey: name) == nil else { throw malformed("has '\(name)' twice") }
    }
    return members
  }

  /// Whether the operation changes a member of the document, or replaces the document by one with the member.
  func names(_ member: [UInt8]) -> Bool {
    switch action {
    case .add(let value), .replace(let value):
      path.first.map { $0 == member } ?? (value[String(decoding: member, as: UTF8.self)] != nil)
    case .move(let from): path.first == member || from.first == member
    case .remove, .copy: path.first == member
    case .test: false
    }
  }

  /// Whether the operation may add a member to the document.
  func mayAdd(_ member: [UInt8]) -> Bool {
    switch action {
    case .add, .replace, .move, .copy: path.first.map { $0 == member } ?? true
    case .remove, .test: false
    }
  }

  /// Changes a draft by the operation.
  ///
  /// - Throws: ``DatabaseError``; the draft must not be used then.
  func apply(to draft: inout DocumentDraft) throws(DatabaseError) {
    do throws(DatabaseError) {
      switch action {
      case .add(let value): try draft.add(value, at: path)
      case .remove: try draft.remove(path)
      case .replace(let value): try draft.replace(path, with: value)
      case .copy(let from): try draft.add(try draft.value(at: from), at: path)
      case .move(let from):
        let value = try draft.value(at: from)
        guard from != path else { break }
        try draft.remove(from)
        try draft.add(value, at: path)
      case .test(let expected):
        let actual = try draft.value(at: path)
        guard actual == expected else {
          throw DatabaseError(.conflict, "the value is \(Self.excerpt(actual)), not \(Self.excerpt(expected))")
        }
      }
    } catch {
      throw self.error(error.code, error.message)
    }
  }

  private static func excerpt(_ value: JSONValue) -> String {
    let text = value.text(pretty: false)
    return text.utf8.count > 60 ? "\(text.prefix(40))…" : text
  }

  /// The error of the operation, with its position and its pointers.
  private func error(_ code: DatabaseError.Code, _ reason: String) -> DatabaseError {
    let from: String =
      switch action {
      case .move(let from), .copy(let from): " from '\(from.text)'"
      case .add, .remove, .replace, .test: ""
      }
    return DatabaseError(code, "Operation \(index) of the patch, \(name) '\(path.text)'\(from): \(reason).")
  }
}

/// The position of a value in a document (RFC 6901).
package struct JSONPointer: Sendable, Hashable {
  /// The pointer as it is written.
  package let text: String
  /// The names and positions that lead to the value, from the outermost; empty for the whole document.
  let tokens: [ByteExactKey]

  /// Reads a pointer; `nil` for a text that is none: one that does not begin with `/`, or has a `~` before something
  /// else than `0` or `1`.
  package init?(_ text: String) {
    self.text = text
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let escapes = text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false).dropFirst()
    guard parts.first?.isEmpty == true, escapes.allSatisfy({ $0.first.map("01".utf8.contains) ?? false }) else {
      return nil
    }
    tokens = parts.dropFirst().map { ByteExactKey(Self.unescaped(String(decoding: $0, as: UTF8.self))) }
  }

  /// The first name or position, in UTF-8.
  var first: [UInt8]? { tokens.first.map { Array($0.string.utf8) } }

  /// Whether another pointer leads into the value of this one.
  func contains(_ other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && other.tokens.starts(with: tokens)
  }

  /// The text of a pointer, from the names and positions that lead to the value.
  package static func text(_ names: some Sequence<String>) -> String {
    names.map { "/" + escaped($0) }.joined()
  }

  /// A name as a part of a pointer.
  package static func escaped(_ name: String) -> String {
    let isPlain = !name.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
    return isPlain ? name : name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The name that a part of a pointer stands for.
  package static func unescaped(_ part: String) -> String {
    part.utf8.contains(UInt8(ascii: "~")) ? part.replacing("~1", with: "/").replacing("~0", with: "~") : part
  }
}
