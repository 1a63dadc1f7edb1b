extension ValidJSON {
  /// Returns a document with this merge patch applied to it (RFC 7396, section 2), without white space where they meet.
  ///
  /// The bytes of values that stay, and of those that are new, are copied as they are.
  ///
  /// - Complexity: O(size of both).
  package func merged(into document: ValidJSON) -> ValidJSON {
    withToken { patch in
      guard patch.kind == .object else { return self }
      var text: [UInt8] = []
      document.withToken { OutlinedValue(patch).appendMerged(into: OutlinedValue($0), to: &text) }
      return ValidJSON(written: text)
    }
  }
}

extension OutlinedValue {
  /// Appends the value that this patch makes of one; `nil` stands for a missing value.
  fileprivate func appendMerged(into target: OutlinedValue?, to text: inout [UInt8]) {
    guard let patch = MembersByName(self) else {
      text += token.bytes
      return
    }
    var separator = UInt8(ascii: "{")
    func append(_ name: ValueToken, _ change: OutlinedValue, into old: OutlinedValue?) {
      text.append(separator)
      text += name.bytes
      text.append(UInt8(ascii: ":"))
      change.appendMerged(into: old, to: &text)
      separator = UInt8(ascii: ",")
    }
    var known: Set<[UInt8]> = []
    var reader = target?.makeReader()
    while let member = reader?.next(), let token = member.name {
      let name = token.unescapedContent
      guard let change = patch.values[name]?.value else {
        text.append(separator)
        text += token.bytes
        text.append(UInt8(ascii: ":"))
        text += member.value.token.bytes
        separator = UInt8(ascii: ",")
        continue
      }
      known.insert(name)
      if !change.token.isNull { append(token, change, into: member.value) }
    }
    for name in patch.names where !known.contains(name) {
      // Each name has a value.
      if let member = patch.values[name], !member.value.token.isNull { append(member.name, member.value, into: nil) }
    }
    if separator == UInt8(ascii: "{") { text.append(separator) }
    text.append(UInt8(ascii: "}"))
  }
}

/// The members of an object by their names; of a name that is given twice, the last.
private struct MembersByName {
  /// The names in order.
  private(set) var names: [[UInt8]] = []
  private(set) var values: [[UInt8]: (name: ValueToken, value: OutlinedValue)] = [:]

  /// `nil` for a value that is not an object.
  init?(_ object: OutlinedValue) {
    guard object.token.kind == .object, var reader = object.makeReader() else { return nil }
    while let member = reader.next(), let token = member.name {
      let name = token.unescapedContent
      if values.updateValue((token, member.value), forKey: name) == nil { names.append(name) }
    }
  }
}
