import OrderedJSON

/// The members of a record that is being put together, in order, each value as JSON text.
struct RecordDraft {
  private struct Member {
    /// The name as a JSON string, as it was written.
    let token: [UInt8]
    let name: [UInt8]
    var value: [UInt8]
  }

  /// Up to so many members, looking at each is quicker than hashing a name.
  private static let searchLimit = 16

  private var members: [Member] = []
  /// Where each name is; empty up to ``searchLimit`` members.
  private var positions: [[UInt8]: Int] = [:]

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
    position(of: Array(name.utf8)).map { members[$0].value }
  }

  /// Sets a member in its place, or appends it.
  mutating func set(_ name: String, to value: [UInt8]) {
    var token: [UInt8] = []
    JSONText.appendEscaped(name, to: &token)
    set(Array(name.utf8), token: token, to: value)
  }

  private mutating func set(_ name: [UInt8], token: [UInt8], to value: [UInt8]) {
    if let index = position(of: name) {
      members[index].value = value
      return
    }
    members.append(Member(token: token, name: name, value: value))
    if !positions.isEmpty {
      positions[name] = members.count - 1
    } else if members.count > Self.searchLimit {
      indexMembers()
    }
  }

  private func position(of name: [UInt8]) -> Int? {
    positions.isEmpty ? members.firstIndex { $0.name == name } : positions[name]
  }

  private mutating func indexMembers() {
    positions =
      members.count > Self.searchLimit
      ? Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) }) : [:]
  }

  /// Removes a member.
  mutating func remove(_ name: String) {
    let name = Array(name.utf8)
    members.removeAll { $0.name == name }
    indexMembers()
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
  /// Every byte of the record stays where it is, but for the values that change and the members that are new: a merge
  /// of one member is a change of one line in `git diff`.
  func merged(into record: UnsafeBufferPointer<UInt8>, _ layout: JSONLayout) -> [UInt8] {
    let formatter = JSONFormatter(layout)
    var output: [UInt8] = []
    var copied = 0
    var isMissing = Array(repeating: true, count: members.count)
    var memberCount = 0
    var lastMember: ObjectReader.Member?
    var lastEnd = 1
    var reader = ObjectReader(record)
    while let member = reader.next() {
      if let index = position(of: member, in: reader) {
        isMissing[index] = false
        output += record[copied..<member.value.lowerBound]
        _ = members[index].value.withUnsafeBufferPointer { formatter.append($0, level: 1, to: &output) }
        copied = member.value.upperBound
      }
      memberCount += 1
      lastMember = member
      lastEnd = member.value.upperBound
    }
    guard isMissing.contains(true) else { return output + record[copied...] }
    guard let lastMember else { return text(layout) }
    output += record[copied..<lastEnd]
    // A new member is separated as the last one is from what stands before it; on one line, the brace is no example.
    var separator = Array(
      record[..<lastMember.name.lowerBound].reversed().prefix(while: JSONSyntax.isWhitespace).reversed())
    if memberCount == 1, !separator.contains(UInt8(ascii: "\n")) { separator = Array(layout.afterComma.utf8) }
    for index in members.indices where isMissing[index] {
      let member = members[index]
      output.append(UInt8(ascii: ","))
      output += separator
      output += member.token
      output += record[lastMember.name.upperBound..<lastMember.value.lowerBound]
      _ = member.value.withUnsafeBufferPointer { formatter.append($0, level: 1, to: &output) }
    }
    return output + record[lastEnd...]
  }

  private func position(of member: ObjectReader.Member, in reader: ObjectReader) -> Int? {
    positions.isEmpty
      ? members.firstIndex { reader.isNamed($0.name, member) } : positions[Array(reader.name(of: member).utf8)]
  }
}
