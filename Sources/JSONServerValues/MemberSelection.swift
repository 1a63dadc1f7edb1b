/// A selection of members of a value, by their names and those of nested members.
///
/// In an array, a name means that member of each element, and a number the element at that position. Selected members
/// keep their order. Values on the way are reduced to the selected members; values without members, such as texts, are
/// left out.
package struct MemberSelection: Sendable {
  fileprivate struct Branch: Sendable {
    let name: [UInt8]
    /// The position in an array that the name may mean.
    let index: Int?
    /// Whether the whole member is selected.
    var isWhole = false
    /// Otherwise, the indexes of the selected members below it.
    var below: [Int] = []

    init(_ name: [UInt8]) {
      self.name = name
      index = Int(String(decoding: name, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
    }
  }

  /// The first branch is the whole value.
  fileprivate var branches = [Branch([])]

  /// Selects nothing.
  package init() {}

  /// Selects another member, by the names of its path.
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
  /// The object with only the selected members; any other value stays as it is.
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
  /// Appends the selected part of an object, with a stack instead of recursion.
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

/// An object or an array of which a part is selected.
private struct SelectedContainer {
  /// A member or an element with a selected part: all of it, or some branches.
  typealias Kept = (name: ValueToken?, value: ValueToken, below: [Int]?)

  private var members: ObjectReader?
  private var elements: ArrayReader?
  private var index = 0
  private let below: [Int]

  /// - Returns: `nil` for a value without members or elements.
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
      // In an array, a name applies to each element.
      let below = branch.map { branches[$0].below } ?? below.filter { branches[$0].index == nil }
      if element.isContainer, branch != nil || !below.isEmpty { return (nil, element, below) }
    }
    return nil
  }
}

extension ValueToken {
  fileprivate var isContainer: Bool { kind == .object || kind == .array }
}
