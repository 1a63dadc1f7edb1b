/// One operation of a JSON Patch (RFC 6902, section 4).
package struct PatchOperation: Sendable {
  private enum Action: Sendable {
    case add(ValidJSON)
    case remove
    case replace(ValidJSON)
    case move(from: JSONPointer)
    case copy(from: JSONPointer)
    case test(ValidJSON)

    var name: String {
      switch self {
      case .add: "add"
      case .remove: "remove"
      case .replace: "replace"
      case .move: "move"
      case .copy: "copy"
      case .test: "test"
      }
    }
  }

  private let action: Action
  private let path: JSONPointer
  /// The position in the patch, from 0.
  private let index: Int

  /// Reads the operations of a patch.
  ///
  /// - Throws: ``PatchError`` with code `malformed`.
  package static func all(in patch: ValidJSON) throws(PatchError) -> [PatchOperation] {
    guard let elements = patch.elements else {
      let kind = patch.withToken { $0.kind.description }
      throw PatchError(.malformed, "A JSON Patch is an array of operations; this is \(kind).")
    }
    var operations: [PatchOperation] = []
    for element in elements { operations.append(try PatchOperation(element, index: operations.count)) }
    return operations
  }

  private init(_ object: ValidJSON, index: Int) throws(PatchError) {
    func malformed(_ reason: String) -> PatchError {
      PatchError(.malformed, "Operation \(index) of the patch \(reason).")
    }
    func pointer(_ text: String, as name: String) throws(PatchError) -> JSONPointer {
      guard let pointer = JSONPointer(text) else {
        throw malformed(
          "has the \(name) '\(text)', which is no JSON Pointer: begin with '/', and write '~' as '~0', '/' as '~1'")
      }
      return pointer
    }
    let members = try Self.members(object, malformed)
    func string(_ name: String) throws(PatchError) -> String {
      guard let value = members[name] else { throw malformed("lacks '\(name)'") }
      guard let text = value.withToken({ $0.kind == .string ? JSONText.unescape($0.bytes) : nil }) else {
        throw malformed("has the \(name) \(value.string.prefix(40)), which is no string")
      }
      return text
    }
    func value() throws(PatchError) -> ValidJSON {
      guard let value = members["value"] else { throw malformed("lacks 'value'") }
      return value
    }
    self.index = index
    let name = try string("op")
    switch name {
    case "add": action = .add(try value())
    case "remove": action = .remove
    case "replace": action = .replace(try value())
    case "move": action = .move(from: try pointer(try string("from"), as: "from"))
    case "copy": action = .copy(from: try pointer(try string("from"), as: "from"))
    case "test": action = .test(try value())
    default: throw malformed("is '\(name)'; operations are add, remove, replace, move, copy and test")
    }
    path = try pointer(try string("path"), as: "path")
    if case .move(let from) = action, from.contains(path) {
      throw malformed("moves '\(from.text)' into itself, to '\(path.text)'")
    }
  }

  /// The members that mean something, each of which must be there at most once: which one a client meant, nobody knows.
  private static func members(
    _ object: ValidJSON, _ malformed: (String) -> PatchError
  ) throws(PatchError) -> [String: ValidJSON] {
    try object.withToken { whole throws(PatchError) in
      guard var reader = ObjectReader(whole) else { throw malformed("is \(whole.kind.description), not an object") }
      var members: [String: ValidJSON] = [:]
      while let member = reader.next() {
        let name = member.nameText
        guard ["op", "path", "from", "value"].contains(name) else { continue }
        guard members.updateValue(object.part(member.value, of: whole), forKey: name) == nil else {
          throw malformed("has '\(name)' twice")
        }
      }
      return members
    }
  }

  /// Whether it changes a member of the document, or gives a whole document that has it.
  func names(_ member: [UInt8]) -> Bool {
    switch action {
    case .add(let value), .replace(let value):
      path.tokens.first.map { $0 == member } ?? (value.member(member) != nil)
    case .move(let from): path.tokens.first == member || from.tokens.first == member
    case .remove, .copy: path.tokens.first == member
    case .test: false
    }
  }

  /// Whether the document may have a member after it that it lacked before.
  func mayAdd(_ member: [UInt8]) -> Bool {
    switch action {
    case .add, .replace, .move, .copy: path.tokens.first.map { $0 == member } ?? true
    case .remove, .test: false
    }
  }

  /// Carries the operation out.
  ///
  /// - Throws: ``PatchError``; the draft is as it was then.
  func apply(to draft: inout DocumentDraft) throws(PatchError) {
    do throws(DocumentDraft.Failure) {
      switch action {
      case .add(let value): try draft.add(value, at: path)
      case .remove: try draft.remove(path)
      case .replace(let value): try draft.replace(path, with: value)
      case .copy(let from): try draft.add(try draft.value(at: from), at: path)
      case .move(let from):
        var moved = draft
        let value = try moved.value(at: from)
        if from != path {
          try moved.remove(from)
          try moved.add(value, at: path)
        }
        draft = moved
      case .test(let expected):
        let actual = try draft.value(at: path)
        let isEqual = actual.withToken { actual in expected.withToken { actual.isEqual(to: $0) } }
        guard isEqual else {
          throw DocumentDraft.Failure(.conflict, "the value is \(Self.excerpt(actual)), not \(Self.excerpt(expected))")
        }
      }
    } catch {
      throw self.error(error.code, error.reason)
    }
  }

  private static func excerpt(_ value: ValidJSON) -> String {
    let text = value.string
    return text.utf8.count > 60 ? "\(text.prefix(40))…" : text
  }

  /// Says why the operation fails, with its position and its pointers.
  private func error(_ code: PatchError.Code, _ reason: String) -> PatchError {
    let from: String =
      switch action {
      case .move(let from), .copy(let from): " from '\(from.text)'"
      case .add, .remove, .replace, .test: ""
      }
    return PatchError(code, "Operation \(index) of the patch, \(action.name) '\(path.text)'\(from): \(reason).")
  }
}

extension PatchError {
  fileprivate init(_ code: Code, _ message: String) {
    self.init(code: code, message: message)
  }
}
