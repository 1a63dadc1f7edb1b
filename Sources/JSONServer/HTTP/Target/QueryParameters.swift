import HTTPTypes

/// The parameters of a target's query, decoded.
package struct QueryParameters: Sendable {
  /// The parameters in the order they were sent; a name may occur more than once.
  package let items: [(name: String, value: String)]

  /// The most parameters that are accepted; one that is repeated in a row, as in a list of ids, counts once.
  static let maximumCount = 100

  /// Reads the query of a target: what follows its first `?`.
  ///
  /// `+` is a space, a parameter without `=` is empty, and one without a name is skipped. `tags[]=x` and `tags[0]=x`
  /// are read as `tags=x`. A name or a value that is not percent-encoded UTF-8, such as `100%`, stands for itself.
  ///
  /// - Throws: 400, when there are more than ``maximumCount`` parameters.
  package init(target: String) throws(RequestError) {
    items = try target.withBytes { bytes in Result { () throws(RequestError) in try Self.items(of: bytes) } }.get()
  }

  private static func items(of target: UnsafeBufferPointer<UInt8>) throws(RequestError) -> [(
    name: String, value: String
  )] {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    var items: [(name: String, value: String)] = []
    var count = 0
    for pair in target[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
      let (name, value) = read(pair)
      guard !name.isEmpty else { continue }
      if items.last?.name != name { count += 1 }
      guard count <= maximumCount else {
        throw RequestError(
          .malformed, "The query has more than \(maximumCount) parameters; send fewer, or split the request.")
      }
      items.append((name, value))
    }
    return items
  }

  /// The value of the first parameter with a name.
  package func first(_ name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// The values of all parameters with a name, in the order they were sent.
  package func all(_ name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }

  /// The names, each once, in the order they were sent.
  var names: [String] {
    var names: [String] = []
    for item in items where !names.contains(item.name) { names.append(item.name) }
    return names
  }

  /// The parameters except those with certain names.
  func excluding(_ names: Set<String>) -> QueryParameters {
    QueryParameters(items: items.filter { !names.contains($0.name) })
  }

  init(items: [(name: String, value: String)] = []) {
    self.items = items
  }

  private static func read(_ pair: Slice<UnsafeBufferPointer<UInt8>>) -> (name: String, value: String) {
    let sign = pair.firstIndex(of: UInt8(ascii: "="))
    let name = PercentEncoding.decodeForm(pair[..<(sign ?? pair.endIndex)])
    let value = sign.map { PercentEncoding.decodeForm(pair[$0...].dropFirst()) } ?? ""
    return (ParameterName(name).name, value)
  }
}

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
