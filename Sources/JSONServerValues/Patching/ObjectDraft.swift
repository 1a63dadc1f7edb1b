import OrderedCollections

/// The members of an object that is being assembled, in order.
package struct ObjectDraft {
  private struct Member {
    /// The name as a JSON string, as it was written.
    let token: ValidJSON
    var value: ValidJSON
  }

  /// The members by name.
  private var members: OrderedDictionary<[UInt8], Member> = [:]

  /// Creates a draft without members.
  package init() {}

  /// Copies the members of an object; `nil` for any other value; a name given twice keeps its first place and its
  /// last value.
  package init?(_ object: ValidJSON) {
    let isObject = object.withToken { whole in
      guard var reader = ObjectReader(whole) else { return false }
      while let member = reader.next() {
        let content = member.name.content
        let name = content.contains(UInt8(ascii: "\\")) ? member.name.unescapedContent : Array(content)
        set(name, to: object.part(member.value, of: whole)) { object.part(member.name, of: whole) }
      }
      return true
    }
    guard isObject else { return nil }
  }

  /// Whether there are no members.
  package var isEmpty: Bool { members.isEmpty }

  /// The value of a member, or `nil`.
  package subscript(name: String) -> ValidJSON? {
    members[Array(name.utf8)]?.value
  }

  /// Sets a member in its place, or adds it at the end.
  package mutating func set(_ name: String, to value: ValidJSON) {
    set(Array(name.utf8), to: value) { ValidJSON(writing: .string(name)) }
  }

  /// - Parameter token: Returns the name as a JSON string.
  private mutating func set(_ name: [UInt8], to value: ValidJSON, token: () -> ValidJSON) {
    members[name, default: Member(token: token(), value: value)].value = value
  }

  /// Removes a member.
  package mutating func remove(_ name: String) { members[Array(name.utf8)] = nil }

  /// The text before and after a value in its storage: white space, which is layout.
  package struct Margins {
    package let lead: [UInt8]
    package let trail: [UInt8]

    package static let none = Margins(lead: [], trail: [])

    package init(lead: [UInt8], trail: [UInt8]) {
      self.lead = lead
      self.trail = trail
    }
  }

  /// The object's text in a layout.
  package func text(_ layout: JSONLayout, _ margins: Margins = .none) -> ValidJSON {
    precondition(layout.isBlank, "a layout of white space keeps a value valid")
    var compact: [UInt8] = []
    JSONText.appendList(members.values, "{", "}", to: &compact) { member, compact in
      member.token.withToken { compact += $0.bytes }
      compact.append(UInt8(ascii: ":"))
      member.value.withToken { compact += $0.bytes }
    }
    var output = margins.lead
    output.reserveCapacity(compact.count * 2)
    // The draft's names and values are valid, with only punctuation between them.
    compact.withUnsafeBufferPointer { JSONFormatter(layout).append(ValueToken(unchecked: $0), to: &output) }
    return Self.finished(output, margins)
  }

  /// The text of an object with the draft's members merged into it, one level deep.
  ///
  /// All bytes of the object stay, except changed values, and new members are added: merging one member changes one
  /// line in `git diff`. A value that is not an object is replaced.
  package func merged(into object: ValidJSON, _ layout: JSONLayout, _ margins: Margins = .none) -> ValidJSON {
    object.withToken { whole in
      guard let reader = ObjectReader(whole), let merged = merged(into: reader, layout, margins) else {
        return text(layout, margins)
      }
      return Self.finished(merged, margins)
    }
  }

  /// - Returns: `nil` when the object has no members.
  private func merged(into object: ObjectReader, _ layout: JSONLayout, _ margins: Margins) -> [UInt8]? {
    precondition(layout.isBlank, "a layout of white space keeps a value valid")
    let bytes = object.object.bytes
    let formatter = JSONFormatter(layout)
    var output = margins.lead
    var copied = 0
    var isMissing = Array(repeating: true, count: members.count)
    var memberCount = 0
    var lastMember: ObjectReader.Member?
    var reader = object
    while let member = reader.next() {
      if let index = position(of: member), !isMissing[index], let before = lastMember {
        // A repeated name: the value was written in the first place, and the others would enlarge the text each time.
        output += bytes[copied..<max(copied, before.value.range(in: object.object).upperBound)]
        copied = member.value.range(in: object.object).upperBound
      } else if let index = position(of: member) {
        isMissing[index] = false
        let range = member.value.range(in: object.object)
        output += bytes[copied..<range.lowerBound]
        members.values[index].value.withToken { formatter.append($0, level: 1, to: &output) }
        copied = range.upperBound
      }
      memberCount += 1
      lastMember = member
    }
    guard isMissing.contains(true) else { return output + bytes[copied...] }
    guard let lastMember else { return nil }
    let (lastName, lastValue) = (lastMember.name.range(in: object.object), lastMember.value.range(in: object.object))
    let lastEnd = lastValue.upperBound
    output += bytes[copied..<lastEnd]
    // A new member is separated in the way of the last one; on one line, the brace is not an example.
    var separator = Array(
      bytes[..<lastName.lowerBound].reversed().prefix(while: JSONSyntax.isWhitespace).reversed())
    if memberCount == 1, !separator.contains(UInt8(ascii: "\n")) { separator = Array(layout.afterComma.utf8) }
    for (member, isMissing) in zip(members.values, isMissing) where isMissing {
      output.append(UInt8(ascii: ","))
      output += separator
      member.token.withToken { output += $0.bytes }
      output += bytes[lastName.upperBound..<lastValue.lowerBound]
      member.value.withToken { formatter.append($0, level: 1, to: &output) }
    }
    return output + bytes[lastEnd...]
  }

  /// The object, changed so that its members are those of `other`. Member `kept` is not changed.
  ///
  /// Every byte of members that are the same in both, but for white space and escapes, stays where it is; new ones follow
  /// the others.
  ///
  /// - Parameter object: The object; any other value counts as an empty one.
  /// - Returns: `nil` when the other is not an object.
  package static func changing(
    _ object: ValidJSON, to other: ValidJSON, keeping kept: String?, _ layout: JSONLayout, _ margins: Margins = .none
  ) -> ValidJSON? {
    guard var changes = ObjectDraft(other) else { return nil }
    let before = ObjectDraft(object) ?? ObjectDraft()
    if let kept { changes.remove(kept) }
    let keptName = kept.map { Array($0.utf8) }
    let removed = before.members.keys.filter { changes.members[$0] == nil && $0 != keptName }
    changes.members.removeAll { before.members[$0.key]?.value.isSameText(as: $0.value.value) ?? false }
    let rest = removed.isEmpty ? object : object.withToken { ValidJSON($0, removing: Set(removed)) }
    return changes.merged(into: rest, layout, margins)
  }

  private func position(of member: ObjectReader.Member) -> Int? {
    // Of few names, each is compared without a copy.
    if members.count < 16 { return members.keys.firstIndex(where: member.isNamed) }
    return members.index(forKey: member.name.unescapedContent)
  }

  /// The value that was written between the margins.
  private static func finished(_ output: [UInt8], _ margins: Margins) -> ValidJSON {
    ValidJSON(written: output + margins.trail, at: margins.lead.count..<output.count)
  }
}

extension ValidJSON {
  fileprivate func isSameText(as other: ValidJSON) -> Bool {
    withToken { text in other.withToken { text.bytes.isEqual(to: $0.bytes) } }
      || JSONValue(self).utf8Text(.compact) == JSONValue(other).utf8Text(.compact)
  }

  /// The value without the members of a name at any depth; the others and the white space between them stay.
  package func removing(_ name: String) -> ValidJSON {
    withToken { whole in
      let cuts = whole.cuts(removing: Array(name.utf8))
      guard !cuts.isEmpty else { return self }
      var text: [UInt8] = []
      var end = 0
      for cut in cuts {
        text += whole.bytes[end..<cut.lowerBound]
        end = cut.upperBound
      }
      return ValidJSON(written: text + whole.bytes[end...])
    }
  }

  /// An object without some members; the others and the white space between them stay.
  package init(_ object: ValueToken, removing names: Set<[UInt8]>) {
    let bytes = object.bytes
    var text: [UInt8] = []
    // The start of the white space and the comma before the next member, and the end of those before the first.
    var (separatorStart, firstStart) = (0, 0)
    if var reader = ObjectReader(object) {
      while let member = reader.next() {
        let range = member.name.offset(in: object)..<member.value.range(in: object).upperBound
        if separatorStart == 0 { firstStart = range.lowerBound }
        if !names.contains(member.name.unescapedContent) {
          text += text.isEmpty ? bytes[..<firstStart] : bytes[separatorStart..<range.lowerBound]
          text += bytes[range]
        }
        separatorStart = range.upperBound
      }
    }
    self.init(written: text.isEmpty ? Array("{}".utf8) : text + bytes[separatorStart...])
  }

  /// An object without some members and with others at its end.
  ///
  /// - Parameters:
  ///   - object: The object; any other value counts as an empty one.
  ///   - members: The names and values to add; each replaces the members of that name.
  package init(_ object: ValueToken, adding members: [(name: String, value: AddedValue)]) {
    let names = members.map { Array($0.name.utf8) }
    // Each member begins with a comma; the first comma becomes the brace.
    var text: [UInt8] = []
    if var reader = ObjectReader(object) {
      while let member = reader.next() {
        if names.contains(where: member.isNamed) { continue }
        text.append(UInt8(ascii: ","))
        text += object.bytes[member.name.offset(in: object)..<member.value.range(in: object).upperBound]
      }
    }
    for (name, value) in members {
      text.append(UInt8(ascii: ","))
      JSONText.appendEscaped(name, to: &text)
      text.append(UInt8(ascii: ":"))
      value.append(to: &text)
    }
    if text.isEmpty { text = [UInt8(ascii: "{")] } else { text[0] = UInt8(ascii: "{") }
    text.append(UInt8(ascii: "}"))
    self.init(written: text)
  }

  /// A value for an object: an existing one, or a list of existing ones.
  package enum AddedValue: Sendable {
    case one(ValidJSON)
    case many([ValidJSON])

    fileprivate func append(to text: inout [UInt8]) {
      switch self {
      case .one(let value): value.withToken { text += $0.bytes }
      case .many(let values): JSONText.appendArray(values, to: &text)
      }
    }
  }
}

extension ValueToken {
  /// The ranges to leave out so that no object has a member of a name: each is a member, or several in a row, with the comma
  /// after it or else before it.
  fileprivate func cuts(removing name: [UInt8]) -> [Range<Int>] {
    var cuts: [Range<Int>] = []
    var reader = TokenReader(self)
    while let token = reader.next() {
      guard case .name(let found) = token, found.isString(name) else { continue }
      var (start, end) = (found.offset(in: self), reader.skipValue().upperBound)
      if let last = cuts.last, last.upperBound == start { start = cuts.removeLast().lowerBound }
      // After a member there are a comma or a brace; before it, too.
      let next = JSONSyntax.skipWhitespace(in: bytes, from: end)
      if bytes[next] == UInt8(ascii: ",") {
        end = JSONSyntax.skipWhitespace(in: bytes, from: next + 1)
      } else {
        while JSONSyntax.isWhitespace(bytes[start - 1]) { start -= 1 }
        if bytes[start - 1] == UInt8(ascii: ",") { start -= 1 } else { end = next }
      }
      cuts.append(start..<end)
    }
    return cuts
  }
}
