import OrderedCollections

/// The members of a JSON object, in the order they were written.
///
/// A name given twice keeps its first place and its last value, as in JavaScript. Names are the same when their code
/// points are: `é` in one code point and in two are two names. Objects are equal when their members are, in any order.
public struct JSONObject: Sendable, CustomStringConvertible, Sequence, Hashable {
  private var members: OrderedDictionary<ByteExactKey, JSONValue>

  /// Creates an object from members in order.
  public init(_ members: some Sequence<(String, JSONValue)> = []) {
    self.members = [:]
    for (name, value) in members { self.members[ByteExactKey(name)] = value }
  }

  /// The value of a member; setting a new name appends it, setting `nil` removes the member. O(1) on average, O(n)
  /// for a removal.
  public subscript(name: String) -> JSONValue? {
    get { members[ByteExactKey(name)] }
    set { members[ByteExactKey(name)] = newValue }
  }

  /// The number of members.
  public var count: Int { members.count }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The names, in order.
  public var names: [String] { members.keys.map(\.string) }

  /// The object as JSON text without white space.
  public var description: String { JSONValue.object(self).description }

  /// Returns an iterator over the members, in order.
  public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
    var iterator = members.makeIterator()
    return AnyIterator { iterator.next().map { (name: $0.key.string, value: $0.value) } }
  }

  /// Whether two objects have the same members, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    JSONValue.object(left) == .object(right)
  }

  public func hash(into hasher: inout Hasher) { JSONValue.object(self).hash(into: &hasher) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal, keeping its order.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }
}

/// A text that equals another only when their bytes are equal.
///
/// Swift's strings compare canonically equivalent characters as equal; JavaScript's, and JSON's names, do not.
package struct ByteExactKey: Hashable, Sendable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    string = String(decoding: bytes, as: UTF8.self)
  }

  package static func == (left: ByteExactKey, right: ByteExactKey) -> Bool {
    var (left, right) = (left.string, right.string)
    return left.withUTF8 { left in right.withUTF8 { left.isEqual(to: $0) } }
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
