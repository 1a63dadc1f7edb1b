import OrderedJSON

extension RecordCollection {
  /// Decides a new record's id, sets it in the draft, and returns it as text.
  mutating func assignID(of draft: inout ObjectDraft, dialect: Dialect, ids: IDGenerator) throws(DatabaseError)
    -> String
  {
    if dialect == .classic, let token = draft[idName], !Self.meansNoID(token) {
      guard let value = token.withToken(\.recordID) else {
        throw DatabaseError(.invalidBody, "'\(idName)' must be a string or a number.")
      }
      guard slot(of: value) == nil else {
        throw DatabaseError(
          .idTaken,
          "\(name) has a record with id \(value) already; leave '\(idName)' out, or change the record with PUT or PATCH."
        )
      }
      return value
    }
    let number = dialect == .classic ? nextNumericID() : nil
    let id = number?.text ?? freeTextID(ids)
    draft.set(idName, to: ValidJSON(writing: number?.value ?? .string(id)))
    return id
  }

  private mutating func freeTextID(_ ids: IDGenerator) -> String {
    for _ in 0..<100 {
      let id = ids()
      if slot(of: id) == nil { return id }
    }
    // A generator that repeats itself, as a test's may, never returns another.
    let id = ids()
    var number = 2
    while slot(of: "\(id)-\(number)") != nil { number += 1 }
    return "\(id)-\(number)"
  }

  /// Whether a body's id says that the client has none yet: JavaScript's falsy values, as json-server 0.17 treats them.
  private static func meansNoID(_ id: ValidJSON) -> Bool {
    id.withToken { value in
      switch value.kind {
      case .null: true
      case .bool: value.bytes.elementsEqual("false".utf8)
      case .number: value.double == 0
      case .string: value.content.isEmpty
      case .array, .object: false
      }
    }
  }
}
