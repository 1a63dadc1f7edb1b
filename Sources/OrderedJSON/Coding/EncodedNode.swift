/// The place that one encoder fills in.
///
/// It is a reference because `Encoder` hands out containers that go on writing after they are returned.
final class EncodedNode {
  private enum Kind {
    case scalar(JSONValue)
    case array
    case object(sorted: Bool)
  }

  /// A type that asks for no container has no members.
  private var kind = Kind.object(sorted: false)
  /// The elements or the members' values.
  private var children: [EncodedNode] = []
  /// The members' names, one for each child.
  private var names: [String] = []

  /// The finished value. Of a name given twice the last value counts.
  var value: JSONValue {
    switch kind {
    case .scalar(let value):
      return value
    case .array:
      return .array(children.map(\.value))
    case .object(let sorted):
      let members = zip(names, children.map(\.value))
      return .object(sorted ? JSONObject(members.sorted { $0.0 < $1.0 }) : JSONObject(members))
    }
  }

  /// The number of elements or members.
  var count: Int { children.count }

  func set(_ value: JSONValue) {
    kind = .scalar(value)
  }

  /// Makes the node an array; keeps its elements, since an encoder may be asked for its container again.
  func becomeArray() {
    kind = .array
  }

  /// Makes the node an object; keeps its members, since an encoder may be asked for its container again.
  func becomeObject(sorted: Bool) {
    kind = .object(sorted: sorted)
  }

  /// Appends a place to an array.
  func appendElement() -> EncodedNode {
    let node = EncodedNode()
    children.append(node)
    return node
  }

  /// Appends a place with a name to an object.
  func appendMember(_ name: String) -> EncodedNode {
    names.append(name)
    return appendElement()
  }
}
