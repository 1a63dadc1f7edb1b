import HTTPTypes
import JSONDescription
import JSONServerValues

/// The parameters of a target's query, decoded.
package struct QueryParameters: Sendable {
  /// The parameters in the order they were sent; a name may occur more than once.
  package let items: [(name: String, value: String)]

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

  private static func read(_ pair: Slice<UnsafeBufferPointer<UInt8>>) -> (name: String, value: String) {
    let sign = pair.firstIndex(of: UInt8(ascii: "="))
    let name = PercentEncoding.decodeForm(pair[..<(sign ?? pair.endIndex)])
    let value = sign.map { PercentEncoding.decodeForm(pair[$0...].dropFirst()) } ?? ""
    return (ParameterName(name).name, value)
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

/// Reads and writes percent-escapes (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// Returns the text that escaped bytes stand for.
  ///
  /// - Parameters:
  ///   - bytes: The text as it was sent.
  ///   - plusIsSpace: Whether `+` stands for a space, as it does in forms and queries but not in paths.
  /// - Returns: The text; `nil` when a `%` lacks its two hexadecimal digits, or the bytes are not UTF-8.
  package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
    // Most hold ASCII without escapes, and are the text.
    if bytes.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(JSONSyntax.hexadecimalValue),
          let low = iterator.next().flatMap(JSONSyntax.hexadecimalValue)
        else { return nil }
        decoded.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
      default: decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// Returns the text of a name or a value in a query or a form, where `+` is a space.
  ///
  /// If decoding fails, the text is used as sent; only each `+` becomes a space. So does qs, which json-server 0.17 reads
  /// queries with.
  package static func decodeForm(_ bytes: some Collection<UInt8>) -> String {
    if let text = decode(bytes, plusIsSpace: true) { return text }
    return String(decoding: bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }

  /// Returns a text as one segment of a path: all but unreserved characters are escaped.
  package static func encodeSegment(_ text: String) -> String {
    encode(text, keeping: unreserved)
  }

  /// Returns a text as one segment of a path: only what a segment cannot have is escaped (RFC 3986, section 3.3).
  static func encodePath(_ segment: String) -> String {
    encode(segment, keeping: allowedInSegment)
  }

  /// Returns a byte of a path, escaped unless it stands for itself or is a slash or the beginning of an escape.
  static func encodePath(_ byte: UInt8) -> [UInt8] {
    let isKept = allowedInSegment.contains(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%")
    return isKept ? [byte] : escape(byte)
  }

  /// Returns a piece of a target as it was sent, with what does not belong there escaped, and existing escapes as they
  /// are.
  package static func encodeUnsafe(_ text: some StringProtocol) -> String {
    encode(text, keeping: allowedInTarget)
  }

  /// Returns a text as an entry of a field that lists names.
  package static func encodeFieldEntry(_ text: String) -> String {
    encode(text, keeping: allowedInFieldEntry)
  }

  private static let allowedInFieldEntry = unreserved.union(ByteSet("!$&'()*+;=:@/?[]{}|".utf8))
  private static let unreserved = ByteSet.words.union(ByteSet("-._~".utf8))
  /// The bytes that stand for themselves in a segment of a path.
  static let allowedInSegment = unreserved.union(ByteSet("!$&'()*+,;=:@".utf8))
  private static let allowedInFragment = unreserved.union(ByteSet("!$&'()*+,;=:@/?".utf8))
  private static let allowedInTarget = unreserved.union(ByteSet("%!$&'()*+,;=:@/?[]{}|".utf8))

  /// Returns a JSON Pointer as it is in a fragment (RFC 6901, section 6).
  static func encodePointer(_ pointer: String) -> String { encode(pointer, keeping: allowedInFragment) }

  private static func encode(_ text: some StringProtocol, keeping kept: ByteSet) -> String {
    if text.utf8.allSatisfy(kept.contains) { return String(text) }
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if kept.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = String(byte, radix: 16, uppercase: true)
    return Array(((digits.utf8.count == 1 ? "%0" : "%") + digits).utf8)
  }
}

extension String {
  /// Passes a closure the UTF-8 bytes, without a copy when they are contiguous in memory already.
  ///
  /// Walking `utf8` by its indices takes two to three times as long.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = self
    return text.withUTF8(body)
  }
}

/// A set of byte values. Letters come in both cases.
package struct ByteSet: Sendable, Hashable {
  private var words: SIMD4<UInt64> = .zero

  /// Creates a set of some bytes, and of the other case of each letter among them.
  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  package static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
  package static let words = digits.union(ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z"))).union(ByteSet("_".utf8))
  static let spaces = ByteSet(" \t\n\r\u{B}\u{C}".utf8)

  package func contains(_ byte: UInt8) -> Bool {
    words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
  }

  /// Adds a byte and, when it is a letter, its other case.
  mutating func insert(_ byte: UInt8) {
    let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    for member in isLetter ? [byte | 0x20, byte & ~0x20] : [byte] {
      words[Int(member >> 6)] |= 1 << UInt64(member & 63)
    }
  }

  package func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words |= other.words
    return result
  }
}
