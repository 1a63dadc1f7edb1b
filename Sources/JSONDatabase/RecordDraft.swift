import OrderedJSON

/// The members of a record that is being put together, in order, each value as JSON text.
struct RecordDraft {
  private struct Member {
    /// The name as a JSON string, as it was written.
    let token: [UInt8]
    let name: [UInt8]
    var value: [UInt8]
  }

  private var members: [Member] = []

  /// Creates a draft without members.
  init() {}

  /// Takes the members of a JSON object; a name given twice keeps its first place and its last value.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidBody` when the text is no object.
  init(_ object: UnsafeBufferPointer<UInt8>) throws(DatabaseError) {
    let start = JSONSyntax.skipWhitespace(in: object, from: JSONSyntax.endOfByteOrderMark(in: object))
    guard start < object.count, object[start] == UInt8(ascii: "{") else {
      throw DatabaseError(.invalidBody, "The body must be a JSON object, such as {\"title\": \"Hello\"}.")
    }
    var reader = ObjectReader(UnsafeBufferPointer(rebasing: object[start...]))
    while let member = reader.next() {
      let token = Array(reader.bytes[member.name])
      let content = token.dropFirst().dropLast()
      let name = content.contains(UInt8(ascii: "\\")) ? Array(reader.name(of: member).utf8) : Array(content)
      set(name, token: token, to: Array(reader.bytes[member.value]))
    }
  }

  /// The JSON text of a member's value, or `nil`.
  subscript(name: String) -> [UInt8]? {
    let name = Array(name.utf8)
    return members.first { $0.name == name }?.value
  }

  /// Sets a member in its place, or appends it.
  mutating func set(_ name: String, to value: [UInt8]) {
    var token: [UInt8] = []
    JSONText.appendEscaped(name, to: &token)
    set(Array(name.utf8), token: token, to: value)
  }

  private mutating func set(_ name: [UInt8], token: [UInt8], to value: [UInt8]) {
    if let index = members.firstIndex(where: { $0.name == name }) {
      members[index].value = value
    } else {
      members.append(Member(token: token, name: name, value: value))
    }
  }

  /// Removes a member.
  mutating func remove(_ name: String) {
    let name = Array(name.utf8)
    members.removeAll { $0.name == name }
  }

  /// The record's text in a layout.
  func text(_ layout: JSONLayout) -> [UInt8] {
    var compact: [UInt8] = [UInt8(ascii: "{")]
    for (index, member) in members.enumerated() {
      if index > 0 { compact.append(UInt8(ascii: ",")) }
      compact += member.token
      compact.append(UInt8(ascii: ":"))
      compact += member.value
    }
    compact.append(UInt8(ascii: "}"))
    var output: [UInt8] = []
    output.reserveCapacity(compact.count * 2)
    _ = compact.withUnsafeBufferPointer { JSONFormatter(layout).append($0, to: &output) }
    return output
  }

  /// The text of an existing record with the draft's members merged into it, one level deep.
  ///
  /// Every byte of the record stays where it is, but for the values that change and the members that are new: a merge of
  /// one member is a change of one line in `git diff`.
  func merged(into record: UnsafeBufferPointer<UInt8>, _ layout: JSONLayout) -> [UInt8] {
    let formatter = JSONFormatter(layout)
    var output: [UInt8] = []
    var copied = 0
    var missing = members
    var lastMember: ObjectReader.Member?
    var lastEnd = 1
    var reader = ObjectReader(record)
    while let member = reader.next() {
      if let change = members.first(where: { reader.isNamed($0.name, member) }) {
        missing.removeAll { $0.name == change.name }
        output += record[copied..<member.value.lowerBound]
        _ = change.value.withUnsafeBufferPointer { formatter.append($0, level: 1, to: &output) }
        copied = member.value.upperBound
      }
      lastMember = member
      lastEnd = member.value.upperBound
    }
    guard !missing.isEmpty else { return output + record[copied...] }
    guard let lastMember else { return text(layout) }
    output += record[copied..<lastEnd]
    // A new member is separated as the last one is from what stands before it.
    let separator = record[..<lastMember.name.lowerBound].reversed().prefix(while: JSONSyntax.isWhitespace).reversed()
    for member in missing {
      output.append(UInt8(ascii: ","))
      output += separator
      output += member.token
      output += record[lastMember.name.upperBound..<lastMember.value.lowerBound]
      _ = member.value.withUnsafeBufferPointer { formatter.append($0, level: 1, to: &output) }
    }
    return output + record[lastEnd...]
  }
}
