import OrderedCollections

/// The members of a JSON object, in the order they were written.
///
/// A name given twice keeps its first place and its last value, as in JavaScript.
public struct JSONObject: Sendable, Hashable {
  private var members: OrderedDictionary<String, JSONValue>

  /// Creates an object from members in order.
  public init(_ members: some Sequence<(String, JSONValue)> = []) {
    self.members = [:]
    for (name, value) in members { self.members[name] = value }
  }

  /// The value of a member; setting a new name appends it, setting `nil` removes the member. O(1) on average.
  public subscript(name: String) -> JSONValue? {
    get { members[name] }
    set { members[name] = newValue }
  }

  /// The number of members.
  public var count: Int { members.count }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The names, in order.
  public var names: [String] { Array(members.keys) }
}

extension JSONObject: Sequence {
  public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
    var iterator = members.makeIterator()
    return AnyIterator { iterator.next().map { (name: $0.key, value: $0.value) } }
  }
}
