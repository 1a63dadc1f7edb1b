import OrderedJSON

/// Finds members that an object gives twice, at any depth.
enum DuplicateNames {
  /// Calls a closure with each further member of a name and its offset, in valid JSON text.
  static func forEach(in bytes: UnsafeBufferPointer<UInt8>, _ body: (String, Int) -> Void) {
    // The names so far of each open object, outermost first; an array has none.
    var open: [Set<TextKey>?] = []
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"): open.append([])
      case UInt8(ascii: "["): open.append(nil)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open.removeLast()
      case UInt8(ascii: "\""):
        let end = JSONSyntax.endOfString(in: bytes, from: position)
        let next = JSONSyntax.skipWhitespace(in: bytes, from: end)
        if next < bytes.count, bytes[next] == UInt8(ascii: ":"), let last = open.indices.last {
          let name = JSONText.unescape(UnsafeBufferPointer(rebasing: bytes[position..<end]))
          if open[last]?.insert(TextKey(name)).inserted == false { body(name, position) }
        }
        position = end
        continue
      default: break
      }
      position += 1
    }
  }
}
