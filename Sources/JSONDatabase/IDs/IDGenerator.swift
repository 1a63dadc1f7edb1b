import JSONServerValues

/// Makes text ids for records of collections whose ids are text.
package struct IDGenerator: Sendable {
  private let makeID: @Sendable () -> String
  /// Makes an id for a collection whose ids are UUIDs, in lower case.
  let uuid: @Sendable () -> String
  /// Whether a new record keeps the id that its body has, as in an import: in every dialect, and also `0`.
  package var keepsGivenIDs = false

  /// Creates a generator from a closure that returns a new id each time.
  package init(_ makeID: @escaping @Sendable () -> String) {
    self.init(makeID, uuid: makeID)
  }

  private init(_ makeID: @escaping @Sendable () -> String, uuid: @escaping @Sendable () -> String) {
    self.makeID = makeID
    self.uuid = uuid
  }

  /// Returns a new id.
  package func callAsFunction() -> String {
    makeID()
  }

  /// Creates a generator of URL-safe ids, and of UUIDs where ids are that, from a source of random numbers.
  ///
  /// - Parameters:
  ///   - length: The number of characters: 7 as json-server 0.17, 11 as 1.0.
  ///   - random: Returns a random number each time.
  package static func urlSafe(length: Int, random: @escaping @Sendable () -> UInt64) -> IDGenerator {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return IDGenerator {
      String((0..<length).map { _ in alphabet[Int(truncatingIfNeeded: random() & 63)] })
    } uuid: {
      UUIDText.random(random)
    }
  }
}

/// Universally unique identifiers as text (RFC 9562): `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`.
enum UUIDText {
  /// Whether a text is a UUID in hexadecimal digits of any case.
  static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    return text.indices.allSatisfy { index in
      switch index {
      case 8, 13, 18, 23: text[index] == UInt8(ascii: "-")
      default: JSONSyntax.isHexadecimal(text[index])
      }
    }
  }

  /// A character of a UUID in lower case.
  static func folded(_ character: UInt8) -> UInt8 { character | 0x20 }

  /// Returns a random UUID, of version 4, in lower case.
  static func random(_ random: () -> UInt64) -> String {
    let high = random() & ~0xF000 | 0x4000
    let low = random() >> 2 | 1 << 63
    let digits = [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    let characters = Array(digits)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(characters[$0]) }.joined(separator: "-")
  }
}
