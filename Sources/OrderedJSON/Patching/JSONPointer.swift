/// Where a value is in a document (RFC 6901).
package struct JSONPointer: Sendable, Hashable {
  /// The pointer as it is written.
  package let text: String
  /// The names and positions that lead to the value, from the outermost, in UTF-8; empty for the whole document.
  let tokens: [[UInt8]]

  /// Reads a pointer; `nil` for a text that is none: one that does not begin with `/`, or has a `~` before something
  /// else than `0` or `1`.
  package init?(_ text: String) {
    self.text = text
    guard !text.isEmpty else {
      tokens = []
      return
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts[0].isEmpty else { return nil }
    var tokens: [[UInt8]] = []
    for part in parts.dropFirst() {
      guard let token = Self.unescape(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func unescape(_ part: Substring.UTF8View) -> [UInt8]? {
    var token: [UInt8] = []
    var bytes = part.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "~") else {
        token.append(byte)
        continue
      }
      switch bytes.next() {
      case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
      case _: return nil
      }
    }
    return token
  }

  /// Whether another pointer leads into the value of this one.
  func contains(_ other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && other.tokens.starts(with: tokens)
  }
}

extension ValueToken {
  /// The value inside this one to which the tokens of a pointer lead; `nil` when there is none.
  ///
  /// Of members with the same name the first counts.
  func value(at tokens: ArraySlice<[UInt8]>) -> ValueToken? {
    var value = self
    for token in tokens {
      let next: ValueToken? =
        switch value.kind {
        case .object: value.member(token)
        case .array: value.element(token)
        case .null, .bool, .number, .string: nil
        }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  private func element(_ token: [UInt8]) -> ValueToken? {
    guard let position = Self.position(token), var reader = ArrayReader(self) else { return nil }
    for _ in 0..<position where reader.next() == nil { return nil }
    return reader.next()
  }

  /// The position in an array that a token writes: digits without a leading zero.
  static func position(_ token: [UInt8]) -> Int? {
    guard token.count == 1 || token.first != UInt8(ascii: "0"),
      token.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int(String(decoding: token, as: UTF8.self))
  }
}
