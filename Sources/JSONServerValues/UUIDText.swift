/// Universally unique identifiers as text (RFC 9562): `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`.
package enum UUIDText {
  /// Whether a text is a UUID in hexadecimal digits of any case.
  @inlinable
  package static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    return text.indices.allSatisfy { index in
      switch index {
      case 8, 13, 18, 23: text[index] == UInt8(ascii: "-")
      default: JSONSyntax.isHexadecimal(text[index])
      }
    }
  }

  /// A character of a UUID in lower case.
  @inlinable
  package static func folded(_ character: UInt8) -> UInt8 { character | 0x20 }

  /// Returns a random UUID, of version 4, in lower case.
  package static func random(_ random: () -> UInt64) -> String {
    let high = random() & ~0xF000 | 0x4000
    let low = random() >> 2 | 1 << 63
    let characters = Array(high.hexadecimal + low.hexadecimal)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(characters[$0]) }.joined(separator: "-")
  }
}

extension UInt64 {
  /// The number in 16 hexadecimal digits.
  package var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
