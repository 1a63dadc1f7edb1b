/// Builds the tree of a value with stacks of its own instead of recursion.
///
/// The value was scanned, so no step leaves its bytes.
struct JSONTreeBuilder {
  /// An array or object that is not closed yet.
  private struct Container {
    let isObject: Bool
    /// Where its elements start among `values`, and its names among `names`.
    let firstValue: Int
    let firstName: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var open: [Container] = []
  /// The finished elements of all open containers, outermost first.
  private var values: [JSONValue] = []
  private var names: [String] = []

  init(_ value: ValueToken) {
    bytes = value.bytes
  }

  mutating func build() -> JSONValue {
    while true {
      position = JSONSyntax.skipWhitespace(in: bytes, from: position)
      var value: JSONValue
      switch bytes[position] {
      case UInt8(ascii: "{"):
        guard stepsOverEmpty(isObject: true) else {
          readName()
          continue
        }
        value = .object(JSONObject())
      case UInt8(ascii: "["):
        guard stepsOverEmpty(isObject: false) else { continue }
        value = .array([])
      default:
        value = readScalar()
      }
      while let container = open.last {
        values.append(value)
        position = JSONSyntax.skipWhitespace(in: bytes, from: position)
        let ends = bytes[position] != UInt8(ascii: ",")
        position += 1
        guard ends else {
          if container.isObject { readName() }
          break
        }
        value = close(container)
      }
      if open.isEmpty { return value }
    }
  }

  /// Skips an empty container, or opens one that is not empty and returns `false`.
  private mutating func stepsOverEmpty(isObject: Bool) -> Bool {
    position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
    if bytes[position] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      position += 1
      return true
    }
    open.append(Container(isObject: isObject, firstValue: values.count, firstName: names.count))
    return false
  }

  private mutating func close(_ container: Container) -> JSONValue {
    open.removeLast()
    defer { values.removeSubrange(container.firstValue...) }
    guard container.isObject else { return .array(Array(values[container.firstValue...])) }
    defer { names.removeSubrange(container.firstName...) }
    return .object(JSONObject(zip(names[container.firstName...], values[container.firstValue...])))
  }

  private mutating func readName() {
    position = JSONSyntax.skipWhitespace(in: bytes, from: position)
    let end = JSONSyntax.endOfString(in: bytes, from: position)
    names.append(JSONText.unescape(UnsafeBufferPointer(rebasing: bytes[position..<end])))
    position = JSONSyntax.skipWhitespace(in: bytes, from: end) + 1
  }

  private mutating func readScalar() -> JSONValue {
    let end = JSONSyntax.endOfValue(in: bytes, from: position)
    let token = UnsafeBufferPointer(rebasing: bytes[position..<end])
    position = end
    switch token[0] {
    case UInt8(ascii: "\""): return .string(JSONText.unescape(token))
    case UInt8(ascii: "t"): return .bool(true)
    case UInt8(ascii: "f"): return .bool(false)
    case UInt8(ascii: "n"): return .null
    default: return .number(JSONNumber(validated: String(decoding: token, as: UTF8.self)))
    }
  }
}
