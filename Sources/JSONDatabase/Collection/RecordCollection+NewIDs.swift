import JSONServerValues

extension RecordCollection {
  /// Chooses a new record's id, sets it in the draft, and returns it as text.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidBody` or `idTaken`.
  func assignID(
    of draft: inout ObjectDraft, schema: Schema, ids: IDGenerator, _ patience: Patience
  ) throws(DatabaseError) -> String {
    let dialect = schema.dialect
    let rule = schema.filler.rules(for: name, isCollection: true).first { $0.member == idName }
    let usesGivenID = ids.keepsGivenIDs || dialect == .classic && rule?.onEveryChange != true
    if usesGivenID, let token = draft[idName], !token.withToken({ Self.meansNoID($0, ids) }) {
      guard let value = token.withToken(\.recordID) else {
        throw DatabaseError(.invalidBody, "'\(idName)' must be a string or a number.")
      }
      guard !Self.namesNoRecord(value) else {
        throw DatabaseError(
          .invalidBody,
          "'\(idName)' is '\(value)', which has no address: in a path it means a directory. Choose another.")
      }
      guard slot(of: storedID(value, patience), patience) == nil else {
        throw DatabaseError(
          .idTaken,
          "\(name) has a record with id \(value) already; leave '\(idName)' out of a new one."
        )
      }
      let length = Self.addressBytes(of: value, in: name)
      guard length <= schema.maximumAddressBytes else {
        throw DatabaseError(
          .invalidBody,
          "'\(idName)' \(value.prefix(32))… is too long: the record's address would have \(length) bytes, "
            + "more than \(schema.maximumAddressBytes); shorten the '\(idName)'."
        )
      }
      if dialect == .v1 { draft.set(idName, to: ValidJSON(writing: .string(value))) }
      return value
    }
    guard rule == nil, dialect == .classic, let (number, isText) = nextNumericID(patience) else {
      let id = freeTextID(uuidForm(rule, patience).map { form in { form(ids.uuid()) } } ?? { ids() }, patience)
      draft.set(idName, to: ValidJSON(writing: .string(id)))
      return id
    }
    draft.set(idName, to: ValidJSON(writing: isText ? .string(number.text) : number.value))
    return number.text
  }

  /// The value of an id from an address: an integer in its usual form is a number, unless another id is a text.
  func idValue(of text: String, _ patience: Patience) -> JSONValue {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let isInteger = digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard isInteger, text == "0" || !digits.isEmpty && digits.first != "0", let number = try? JSONValue(parsing: text),
      !kinds(of: Array(idName.utf8), patience).seen.contains(.string)
    else { return .string(text) }
    return number
  }

  /// Reads all ids, and prepares the next new id. O(n) the first time.
  func readIDs(_ patience: Patience) {
    _ = idForms(patience)
    _ = ids(patience)
  }

  /// Whether an id has no address: clients and servers resolve these segments of a path (RFC 3986, section 5.2.4).
  static func namesNoRecord(_ id: String) -> Bool { id == "." || id == ".." }

  private static func addressBytes(of id: String, in resource: String) -> Int {
    [resource, id].reduce(0) { sum, segment in
      segment.utf8.reduce(sum + 1) { $0 + (isUnreserved($1) ? 1 : 3) }
    }
  }

  /// Whether a byte needs no escape in an address (RFC 3986, section 2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Converts a new UUID to an id, where every id is a UUID, then in the letter case of the last one, or a rule requires
  /// one; `nil` elsewhere.
  private func uuidForm(_ rule: Fill?, _ patience: Patience) -> ((String) -> String)? {
    guard idForms(patience)?.areUUIDs == true, let last = rows.last?.id(named: idName)?.string else {
      return rule == nil ? nil : { $0 }
    }
    let isUppercase = last.contains(where: \.isUppercase) && !last.contains(where: \.isLowercase)
    return { isUppercase ? $0.uppercased() : $0 }
  }

  private func freeTextID(_ makeID: () -> String, _ patience: Patience) -> String {
    for _ in 0..<100 {
      let id = makeID()
      if slot(of: id, patience) == nil { return id }
    }
    // A generator of a test may return the same id again and again.
    let id = makeID()
    var number = 2
    while slot(of: "\(id)-\(number)", patience) != nil { number += 1 }
    return "\(id)-\(number)"
  }

  /// Whether an id in a body means that the client has none: JavaScript's falsy values, as in json-server 0.17, but a
  /// number is an id where given ids are kept.
  static func meansNoID(_ id: ValueToken, _ ids: IDGenerator? = nil) -> Bool {
    switch id.kind {
    case .null: true
    case .bool: id.bytes.elementsEqual("false".utf8)
    case .number: id.double == 0 && ids?.keepsGivenIDs != true
    case .string: id.content.isEmpty
    case .array, .object: false
    }
  }
}
