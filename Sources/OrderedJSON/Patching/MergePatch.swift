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
      document.withToken { patch.appendMerged(into: $0, to: &text) }
      return ValidJSON(written: text)
    }
  }
}

extension ValueToken {
  /// Appends the value that this patch makes of one; `nil` stands for a missing value.
  fileprivate func appendMerged(into target: ValueToken?, to text: inout [UInt8]) {
    guard let patch = MembersByName(self) else {
      text += bytes
      return
    }
    var separator = UInt8(ascii: "{")
    func append(_ name: ValueToken, _ change: ValueToken, into old: ValueToken?) {
      text.append(separator)
      text += name.bytes
      text.append(UInt8(ascii: ":"))
      change.appendMerged(into: old, to: &text)
      separator = UInt8(ascii: ",")
    }
    var known: Set<[UInt8]> = []
    if var reader = target.flatMap(ObjectReader.init) {
      while let member = reader.next() {
        let name = member.name.unescapedContent
        guard let change = patch.values[name]?.value else {
          text.append(separator)
          text += member.name.bytes
          text.append(UInt8(ascii: ":"))
          text += member.value.bytes
          separator = UInt8(ascii: ",")
          continue
        }
        known.insert(name)
        if !change.isNull { append(member.name, change, into: member.value) }
      }
    }
    for name in patch.names where !known.contains(name) {
      // Each name has a value.
      if let member = patch.values[name], !member.value.isNull { append(member.name, member.value, into: nil) }
    }
    if separator == UInt8(ascii: "{") { text.append(separator) }
    text.append(UInt8(ascii: "}"))
  }
}

/// The members of an object by their names; of a name that is given twice, the last.
private struct MembersByName {
  /// The names in order.
  private(set) var names: [[UInt8]] = []
  private(set) var values: [[UInt8]: ObjectReader.Member] = [:]

  /// `nil` for a value that is not an object.
  init?(_ object: ValueToken) {
    guard var reader = ObjectReader(object) else { return nil }
    while let member = reader.next() {
      let name = member.name.unescapedContent
      if values.updateValue(member, forKey: name) == nil { names.append(name) }
    }
  }
}
