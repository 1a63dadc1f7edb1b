/// Builds the tree of a valid JSON text with a stack of its own instead of recursion.
struct JSONTreeBuilder {
  private enum Container {
    case array([JSONValue])
    case object(JSONObject, name: String)
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int
  private var open: [Container] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>, position: Int) {
    self.bytes = bytes
    self.position = position
  }

  mutating func build() -> JSONValue {
    while true {
      position = JSONSyntax.skipWhitespace(in: bytes, from: position)
      var value: JSONValue
      switch bytes[position] {
      case UInt8(ascii: "{"):
        position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
        guard bytes[position] == UInt8(ascii: "}") else {
          open.append(.object(JSONObject(), name: readName()))
          continue
        }
        position += 1
        value = .object(JSONObject())
      case UInt8(ascii: "["):
        position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
        guard bytes[position] == UInt8(ascii: "]") else {
          open.append(.array([]))
          continue
        }
        position += 1
        value = .array([])
      default:
        value = readScalar()
      }
      while true {
        guard let container = open.popLast() else { return value }
        position = JSONSyntax.skipWhitespace(in: bytes, from: position)
        let ends = bytes[position] != UInt8(ascii: ",")
        position += 1
        switch container {
        case .array(var elements):
          elements.append(value)
          if ends { value = .array(elements) } else { open.append(.array(elements)) }
        case .object(var object, let name):
          object[name] = value
          if ends { value = .object(object) } else { open.append(.object(object, name: readName())) }
        }
        if !ends { break }
      }
    }
  }

  private mutating func readName() -> String {
    position = JSONSyntax.skipWhitespace(in: bytes, from: position)
    let end = JSONSyntax.endOfString(in: bytes, from: position)
    let name = JSONText.unescape(UnsafeBufferPointer(rebasing: bytes[position..<end]))
    position = JSONSyntax.skipWhitespace(in: bytes, from: end) + 1
    return name
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
