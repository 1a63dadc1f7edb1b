/// The name of a form field or query parameter, without the brackets that mark one of many.
struct ParameterName: Hashable {
  /// The name: `tags` of `tags`, `tags[]` and `tags[0]`.
  let name: String

  /// Whether brackets said that the value is one of a list, even when it is sent alone.
  let isListElement: Bool

  /// Reads a decoded name. Only empty or numbered brackets at the end count: `a[b]` is a name of its own.
  init(_ text: String) {
    let head = text.utf8.dropLast()
    guard text.utf8.last == UInt8(ascii: "]"), let bracket = head.lastIndex(of: UInt8(ascii: "[")),
      bracket > text.startIndex,
      head[bracket...].dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else {
      name = text
      isListElement = false
      return
    }
    name = String(text[..<bracket])
    isListElement = true
  }
}
