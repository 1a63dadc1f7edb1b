package import JSONServerValues

/// A path to a value inside of a record: `title`, `author.name`, `tags.0` or `tags[0]`.
///
/// A member with the whole path as its name comes first, as with lodash's `get`, which json-server 0.17 uses. In an
/// array, a name means that member of each element: `tags.name` means the names of all tags.
package struct FieldPath: Sendable, Hashable {
  /// The path as written.
  package let name: String

  /// The name of a member that comes before the path's parts.
  let whole: [UInt8]
  /// The parts of the path.
  let parts: [[UInt8]]

  /// Creates a path from its text.
  package init(_ name: String) {
    self.name = name
    whole = Array(name.utf8)
    var dotted = whole
    if whole.contains(UInt8(ascii: "[")) {
      dotted = whole.filter { $0 != UInt8(ascii: "]") }.map { $0 == UInt8(ascii: "[") ? UInt8(ascii: ".") : $0 }
    }
    parts = dotted.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
  }

  /// The members of the record where the path may begin.
  package var possibleNames: [[UInt8]] { [whole] + parts.prefix(1) }

  /// Whether the path goes below the record's own members.
  var isNested: Bool { parts.count > 1 }

  /// Returns the value at the path in a record, or `nil` when there is none; for an array of objects, the value of the
  /// first element. O(size of the record).
  @inline(__always)
  func value(in record: ValueToken) -> ValueToken? {
    if let value = record.member(whole) { return value }
    return isNested ? firstValue(in: record).value : nil
  }

  /// Whether one of the values at the path in a record satisfies a predicate. O(size of the record).
  @inline(__always)
  func leads(in record: ValueToken, to isWanted: (ValueToken) -> Bool) -> Bool {
    if let value = record.member(whole) { return isWanted(value) }
    return isNested && Self.leads(parts, from: record, to: isWanted)
  }

  /// Follows the parts with a stack instead of recursion.
  private static func leads(_ parts: [[UInt8]], from record: ValueToken, to isWanted: (ValueToken) -> Bool) -> Bool {
    // The arrays that are being read, each with the number of parts before it.
    var open: [(elements: ArrayReader, count: Int)] = []
    var next: (value: ValueToken, count: Int)? = (record, 0)
    while let (value, count) = next {
      next = nil
      if count == parts.count {
        if isWanted(value) { return true }
      } else if value.kind == .array, index(parts[count]) == nil, let elements = ArrayReader(value) {
        open.append((elements, count))
      } else {
        next = child(parts[count], of: value).map { ($0, count + 1) }
      }
      while next == nil, let last = open.indices.last {
        next = open[last].elements.next().map { ($0, open[last].count) }
        if next == nil { open.removeLast() }
      }
    }
    return false
  }

  /// Whether the path goes through an array of several elements in a record, so that ``value(in:)`` may be one of many.
  func isMultiple(in record: ValueToken) -> Bool {
    isNested && record.member(whole) == nil && firstValue(in: record).isOneOfMany
  }

  /// Follows the parts, and takes the first element of each array in which a part is a name.
  private func firstValue(in record: ValueToken) -> (value: ValueToken?, isOneOfMany: Bool) {
    var current = record
    var isOneOfMany = false
    for part in parts {
      while current.kind == .array, Self.index(part) == nil, var elements = ArrayReader(current),
        let first = elements.next()
      {
        isOneOfMany = isOneOfMany || elements.next() != nil
        current = first
      }
      guard let next = Self.child(part, of: current) else { return (nil, isOneOfMany) }
      current = next
    }
    return (current, isOneOfMany)
  }

  private static func index(_ part: [UInt8]) -> Int? {
    Int(String(decoding: part, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
  }

  private static func child(_ part: [UInt8], of parent: ValueToken) -> ValueToken? {
    switch parent.kind {
    case .object: return parent.member(part)
    case .array: return index(part).flatMap { ArrayReader(parent)?.dropFirst($0).first { _ in true } }
    case .null, .bool, .number, .string: return nil
    }
  }

  /// The path below a member: `name` for `author.name` below `author`; `nil` for a path that does not begin with the
  /// member.
  func below(_ member: String) -> FieldPath? {
    let start = Array(member.utf8)
    guard whole.count > start.count + 1, whole.starts(with: start) else { return nil }
    switch whole[start.count] {
    case UInt8(ascii: "."): return FieldPath(String(decoding: whole[(start.count + 1)...], as: UTF8.self))
    case UInt8(ascii: "["):
      let rest = whole[(start.count + 1)...]
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > rest.startIndex else { return nil }
      return FieldPath(String(decoding: rest[..<end] + rest[(end + 1)...], as: UTF8.self))
    default: return nil
    }
  }

  package static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.whole == right.whole
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(whole)
  }
}

/// The members of records that a response shows, by path: `title`, `author.name`, `tags.0`.
package struct FieldSelection: Sendable {
  /// The paths as given.
  package let paths: [FieldPath]
  private var members = MemberSelection()

  /// Selects the values at some paths, and members with a whole path as their name.
  package init(_ names: [String]) {
    paths = names.map { FieldPath($0) }
    for path in paths {
      members.insert([path.whole])
      if path.isNested { members.insert(path.parts) }
    }
  }

  /// The selected members of a record; a value that is not an object stays as it is.
  package func of(_ record: ValidJSON) -> ValidJSON { record.selecting(members) }
}

extension Database {
  /// The paths without a value in any record of a resource, or in its related records.
  ///
  /// - Parameter relations: The names of the related records.
  /// - Complexity: O(n) for a new path.
  package func unknownPaths(
    of selection: FieldSelection, in name: String, relations: [String]
  ) -> [FieldPath] {
    guard let position = try? position(of: name) else { return [] }
    let own = selection.paths.filter { path in !relations.contains { path.name == $0 || path.below($0) != nil } }
    if case .singular(let value) = entries[position].resource {
      return own.filter { path in !value.withToken { path.leads(in: $0) { _ in true } } }
    }
    // Without records, nothing is known.
    guard let collection = entries[position].collection, collection.count > 0 else { return [] }
    return own.filter { !collection.hasMember($0, patience) }
  }
}
