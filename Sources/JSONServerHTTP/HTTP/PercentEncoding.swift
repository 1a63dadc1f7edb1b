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
  package static func encodeUnsafe(_ text: String) -> String {
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

  private static func encode(_ text: String, keeping kept: ByteSet) -> String {
    if text.withBytes({ $0.allSatisfy(kept.contains) }) { return text }
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
