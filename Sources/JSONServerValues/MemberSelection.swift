/// Which members of a value to keep, by their names and those of the members below them.
///
/// A name leads through an array to that member of each element, and a number to the element at that place. What is kept
/// stays in the order that it has in the value. Of a value on the way only what the way leads to is kept, and nothing of
/// one that has no members, such as a text.
package struct MemberSelection: Sendable {
  fileprivate struct Branch: Sendable {
    let name: [UInt8]
    /// The place in an array that the name may mean.
    let index: Int?
    /// Whether all of the member is kept.
    var isWhole = false
    /// The places of what is kept of the member otherwise.
    var below: [Int] = []

    init(_ name: [UInt8]) {
      self.name = name
      index = Int(String(decoding: name, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
    }
  }

  /// The first stands for the whole value.
  fileprivate var branches = [Branch([])]

  /// Selects nothing.
  package init() {}

  /// Selects another member, by the names that lead to it.
  package mutating func insert(_ names: [[UInt8]]) {
    var place = 0
    for name in names {
      if let known = branches[place].below.first(where: { branches[$0].name == name }) {
        place = known
      } else {
        branches[place].below.append(branches.count)
        place = branches.count
        branches.append(Branch(name))
      }
    }
    branches[place].isWhole = true
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
  /// Appends what is kept of an object, with a stack of its own instead of recursion.
  fileprivate func append(_ object: ValueToken, to text: inout [UInt8]) {
    var open: [SelectedContainer] = []
    if let whole = SelectedContainer(object, branches[0].below) { open.append(whole) }
    text.append(UInt8(ascii: "{"))
    while let last = open.indices.last {
      guard let kept = open[last].next(in: branches) else {
        text.append(open.removeLast().closing)
        continue
      }
      if text.last != UInt8(ascii: "{"), text.last != UInt8(ascii: "[") { text.append(UInt8(ascii: ",")) }
      if let name = kept.name {
        text += name.bytes
        text.append(UInt8(ascii: ":"))
      }
      if let below = kept.below, let container = SelectedContainer(kept.value, below) {
        text.append(kept.value.bytes[0])
        open.append(container)
      } else {
        text += kept.value.bytes
      }
    }
  }
}

/// An object or an array that is being walked for what is kept of it.
private struct SelectedContainer {
  /// A member or an element of which something is kept: all, or what branches lead to.
  typealias Kept = (name: ValueToken?, value: ValueToken, below: [Int]?)

  private var members: ObjectReader?
  private var elements: ArrayReader?
  private var index = 0
  private let below: [Int]

  /// `nil` for a value that has neither members nor elements.
  init?(_ value: ValueToken, _ below: [Int]) {
    members = ObjectReader(value)
    elements = ArrayReader(value)
    self.below = below
    if members == nil, elements == nil { return nil }
  }

  var closing: UInt8 { members == nil ? UInt8(ascii: "]") : UInt8(ascii: "}") }

  mutating func next(in branches: [MemberSelection.Branch]) -> Kept? {
    while let member = members?.next() {
      guard let branch = below.first(where: { member.isNamed(branches[$0].name) }) else { continue }
      if branches[branch].isWhole { return (member.name, member.value, nil) }
      if member.value.isContainer { return (member.name, member.value, branches[branch].below) }
    }
    while let element = elements?.next() {
      defer { index += 1 }
      let branch = below.first { branches[$0].index == index }
      if let branch, branches[branch].isWhole { return (nil, element, nil) }
      // A name leads through the array.
      let below = branch.map { branches[$0].below } ?? below.filter { branches[$0].index == nil }
      if element.isContainer, branch != nil || !below.isEmpty { return (nil, element, below) }
    }
    return nil
  }
}

extension ValueToken {
  fileprivate var isContainer: Bool { kind == .object || kind == .array }
}
