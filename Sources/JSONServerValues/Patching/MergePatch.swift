extension ValidJSON {
  /// Returns a document with this merge patch applied to it (RFC 7396, section 2), without white space between old and
  /// new parts.
  ///
  /// The bytes of unchanged and new values are copied.
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
  /// Appends the patched value of a target, with a stack instead of recursion.
  fileprivate func appendMerged(into target: OutlinedValue, to text: inout [UInt8]) {
    var open: [MergedObject] = []
    var next: MergedObject.Member? = (self, target)
    while let (change, old) = next {
      if let object = MergedObject(change, into: old) { open.append(object) } else { text += change.token.bytes }
      next = nil
      while next == nil, let last = open.indices.last {
        next = open[last].append(to: &text)
        if next == nil { open.removeLast() }
      }
    }
  }
}

/// An object that is being written with a patch applied.
private struct MergedObject {
  /// The value of a member in the patch, and its old value; `nil` for a missing one.
  typealias Member = (change: OutlinedValue, old: OutlinedValue?)

  private let patch: MembersByName
  private var target: OutlinedValue.Reader?
  private var newNames: IndexingIterator<[[UInt8]]>
  private var known: Set<[UInt8]> = []
  private var separator = UInt8(ascii: "{")

  /// - Returns: `nil` for a patch that is not an object, which replaces the target.
  init?(_ patch: OutlinedValue, into target: OutlinedValue?) {
    guard let members = MembersByName(patch) else { return nil }
    self.patch = members
    self.target = target.flatMap { $0.token.kind == .object ? $0.makeReader() : nil }
    newNames = members.names.makeIterator()
  }

  /// Appends members up to the next name whose value the patch changes, or up to the end.
  ///
  /// - Returns: This member, whose value comes next; `nil` at the end.
  mutating func append(to text: inout [UInt8]) -> Member? {
    while let member = target?.next(), let token = member.name {
      let name = token.unescapedContent
      guard let change = patch.values[name]?.value else {
        append(token, to: &text)
        text += member.value.token.bytes
        continue
      }
      known.insert(name)
      guard !change.token.isNull else { continue }
      append(token, to: &text)
      return (change, member.value)
    }
    while let name = newNames.next() {
      // Every name has a value.
      guard !known.contains(name), let member = patch.values[name], !member.value.token.isNull else { continue }
      append(member.name, to: &text)
      return (member.value, nil)
    }
    if separator == UInt8(ascii: "{") { text.append(separator) }
    text.append(UInt8(ascii: "}"))
    return nil
  }

  private mutating func append(_ name: ValueToken, to text: inout [UInt8]) {
    text.append(separator)
    text += name.bytes
    text.append(UInt8(ascii: ":"))
    separator = UInt8(ascii: ",")
  }
}

/// The members of an object by name; of a repeated name, the last.
private struct MembersByName {
  /// The names in order.
  private(set) var names: [[UInt8]] = []
  private(set) var values: [[UInt8]: (name: ValueToken, value: OutlinedValue)] = [:]

  /// - Returns: `nil` for a value that is not an object.
  init?(_ object: OutlinedValue) {
    guard object.token.kind == .object, var reader = object.makeReader() else { return nil }
    while let member = reader.next(), let token = member.name {
      let name = token.unescapedContent
      if values.updateValue((token, member.value), forKey: name) == nil { names.append(name) }
    }
  }
}
