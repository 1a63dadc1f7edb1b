import OrderedJSON

/// The way to a value inside a record: `title`, `author.name`, `tags.0` or `tags[0]`.
///
/// A member whose own name is the whole path precedes the way through its parts, as with lodash's `get`, which
/// json-server 0.17 uses.
package struct FieldPath: Sendable {
  /// The path as it was written.
  package let name: String

  private let whole: [UInt8]
  private let parts: [[UInt8]]

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

  /// Whether the path leads below the record's own members.
  var isNested: Bool { parts.count > 1 }

  /// Returns the value the path leads to in a record, or `nil` when there is none. O(size of the record).
  @inline(__always)
  func value(in record: ValueToken) -> ValueToken? {
    if let value = record.member(whole) { return value }
    guard isNested else { return nil }
    var current = record
    for part in parts {
      guard let next = Self.child(part, of: current) else { return nil }
      current = next
    }
    return current
  }

  private static func child(_ part: [UInt8], of parent: ValueToken) -> ValueToken? {
    switch parent.kind {
    case .object: return parent.member(part)
    case .array:
      guard let index = Int(String(decoding: part, as: UTF8.self)), index >= 0 else { return nil }
      return ArrayReader(parent)?.dropFirst(index).first { _ in true }
    case .null, .bool, .number, .string: return nil
    }
  }
}

extension FieldPath: Hashable {
  package static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.whole == right.whole
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(whole)
  }
}
