/// Which members of a value to keep, by their names and those of the members below them.
///
/// A name leads through an array to that member of each element, and a number to the element at that place. What is kept
/// stays in the order that it has in the value. Of a value on the way only what the way leads to is kept, and nothing of
/// one that has no members, such as a text.
package struct MemberSelection: Sendable {
  private struct Branch: Sendable {
    let name: [UInt8]
    /// The place in an array that the name may mean.
    let index: Int?
    /// Whether all of the member is kept.
    var isWhole = false
    /// What is kept of the member otherwise.
    var below: [Branch] = []

    init(_ name: [UInt8]) {
      self.name = name
      index = Int(String(decoding: name, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
    }
  }

  private var branches: [Branch] = []

  /// Selects nothing.
  package init() {}

  /// Selects another member, by the names that lead to it.
  package mutating func insert(_ names: [[UInt8]]) {
    Self.insert(names[...], into: &branches)
  }

  private static func insert(_ names: ArraySlice<[UInt8]>, into branches: inout [Branch]) {
    guard let name = names.first else { return }
    let index = branches.firstIndex { $0.name == name } ?? branches.endIndex
    if index == branches.endIndex { branches.append(Branch(name)) }
    if names.count == 1 {
      branches[index].isWhole = true
    } else {
      insert(names.dropFirst(), into: &branches[index].below)
    }
  }
}

extension ValidJSON {
  /// The object with the members of a selection and no others; any other value as it is.
  ///
  /// - Complexity: O(size of the object × names of the selection).
  package func selecting(_ selection: MemberSelection) -> ValidJSON {
    withToken { value in
      guard value.kind == .object else { return self }
      var text: [UInt8] = []
      text.reserveCapacity(value.bytes.count)
      selection.append(value, to: &text)
      return ValidJSON(written: text)
    }
  }
}

extension MemberSelection {
  /// Appends what is kept of an object.
  fileprivate func append(_ object: ValueToken, to text: inout [UInt8]) {
    _ = Self.append(object, branches, to: &text)
  }

  /// Appends what branches lead to in a value.
  ///
  /// - Returns: Whether they lead into it at all.
  private static func append(_ value: ValueToken, _ branches: [Branch], to text: inout [UInt8]) -> Bool {
    if var reader = ObjectReader(value) {
      appendList("{", "}", to: &text) { text in
        guard let member = reader.next() else { return nil }
        guard let branch = branches.first(where: { member.isNamed($0.name) }) else { return false }
        text += member.name.bytes
        text.append(UInt8(ascii: ":"))
        return appendKept(member.value, branch, to: &text)
      }
      return true
    }
    if var reader = ArrayReader(value) {
      let named = branches.filter { $0.index == nil }
      var index = 0
      appendList("[", "]", to: &text) { text in
        guard let element = reader.next() else { return nil }
        defer { index += 1 }
        if let branch = branches.first(where: { $0.index == index }) { return appendKept(element, branch, to: &text) }
        return !named.isEmpty && append(element, named, to: &text)
      }
      return true
    }
    return false
  }

  private static func appendKept(_ value: ValueToken, _ branch: Branch, to text: inout [UInt8]) -> Bool {
    guard branch.isWhole else { return append(value, branch.below, to: &text) }
    text += value.bytes
    return true
  }

  /// Appends what a closure appends between brackets, until it returns `nil`; what it returns `false` for is taken back.
  private static func appendList(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, to text: inout [UInt8], _ next: (inout [UInt8]) -> Bool?
  ) {
    text.append(UInt8(ascii: opening))
    let start = text.count
    while true {
      let end = text.count
      if end > start { text.append(UInt8(ascii: ",")) }
      let isKept = next(&text)
      if isKept != true { text.removeLast(text.count - end) }
      if isKept == nil { break }
    }
    text.append(UInt8(ascii: closing))
  }
}
