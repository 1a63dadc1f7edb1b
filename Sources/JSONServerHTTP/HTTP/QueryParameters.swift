import JSONDescription

/// The parameters of a target's query, decoded.
package struct QueryParameters: Sendable {
  /// The parameters in the order they were sent; a name may occur more than once.
  package var items: [(name: String, value: String)]

  /// The most parameters that are accepted. A parameter that follows another of the same name, as in a list of ids, does not
  /// count again.
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
    var items: [(name: String, value: String)] = []
    var count = 0
    for pair in pairs(of: target) {
      let (sent, value) = read(pair)
      let name = ParameterName(sent).name
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
  package var names: [String] {
    var names: [String] = []
    for item in items where !names.contains(item.name) { names.append(item.name) }
    return names
  }

  /// The parameters except those with certain names.
  package func excluding(_ names: Set<String>) -> QueryParameters {
    QueryParameters(items: items.filter { !names.contains($0.name) })
  }

  package init(items: [(name: String, value: String)] = []) {
    self.items = items
  }

  /// The decoded pairs of a target's query, with the names as they were sent: `tags[]`, `page[size]`.
  static func sent(in target: String) -> [(name: String, value: String)] {
    target.withBytes { bytes in pairs(of: bytes).map(read) }
  }

  /// The elements of each value with a plain comma, by the parameter's name as it was sent. An encoded comma separates nothing.
  static func sentElements(in target: String) -> [String: [String]] {
    target.withBytes { bytes in
      var elements: [String: [String]] = [:]
      for pair in pairs(of: bytes) where pair.contains(UInt8(ascii: ",")) {
        guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
        let value = pair[sign...].dropFirst().split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        elements[PercentEncoding.decodeForm(pair[..<sign])] = value.map { PercentEncoding.decodeForm($0) }
      }
      return elements
    }
  }

  private static func pairs(of target: UnsafeBufferPointer<UInt8>) -> [Slice<UnsafeBufferPointer<UInt8>>] {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    return target[mark...].dropFirst().split(separator: UInt8(ascii: "&"))
  }

  private static func read(_ pair: Slice<UnsafeBufferPointer<UInt8>>) -> (name: String, value: String) {
    let sign = pair.firstIndex(of: UInt8(ascii: "="))
    let name = PercentEncoding.decodeForm(pair[..<(sign ?? pair.endIndex)])
    return (name, sign.map { PercentEncoding.decodeForm(pair[$0...].dropFirst()) } ?? "")
  }
}

extension QueryParameters {
  /// More than any list has records, and small enough to calculate with.
  private static let largestNumber = 0x1p40
  private static let numberBytes = Set("0123456789+-.eE".utf8)

  /// Reads a parameter that is a number: of one with a fraction the whole part counts, of one that is repeated the first
  /// value, and nothing counts as absent.
  package func number(_ name: String) throws(RequestError) -> Int? {
    guard let value = first(name) else { return nil }
    // An integer need not be checked byte by byte; one so short is below the largest number.
    if value.utf8.count < 12, let number = Int(value) { return number }
    if QueryParameter.Value.number.isNothing(value) { return nil }
    // Swift would also read words: nan, inf, 0x1p4.
    guard value.utf8.allSatisfy(Self.numberBytes.contains), let number = Double(value) else {
      throw RequestError(.malformed, "'\(name)' must be a number; it is '\(value)'.")
    }
    // A number beyond all lists means the end of the list; sums of such numbers do not overflow.
    return Int(min(max(number, -Self.largestNumber), Self.largestNumber))
  }
}

/// The name of a form field or query parameter, without the brackets that mark one of many.
package struct ParameterName: Hashable {
  /// The name: `tags` of `tags`, `tags[]` and `tags[0]`.
  package let name: String

  /// Whether brackets said that the value is one of a list, even when it is sent alone.
  let isListElement: Bool

  /// Reads a decoded name. Only empty or numbered brackets at the end count: `a[b]` is a name of its own.
  package init(_ text: String) {
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
