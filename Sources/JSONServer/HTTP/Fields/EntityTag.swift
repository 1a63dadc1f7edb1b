import JSONStorage

/// The validator of a body (RFC 9110, section 8.8.3): different bytes never have the same tag.
struct EntityTag: Sendable {
  /// The number of bytes, or of the version.
  private let count: UInt64
  private let hash: UInt64

  /// Reads a body. O(size), at several GB/s.
  init(of body: [UInt8]) {
    count = UInt64(body.count)
    hash = body.withUnsafeBytes { ContentHash(of: $0).value }
  }

  /// Creates the validator of a body that is not read: no two versions with the same number and context may differ.
  ///
  /// - Parameters:
  ///   - version: The version of the data that the body shows.
  ///   - context: All else that the body depends on.
  init(version: UInt64, of context: [UInt8]) {
    count = version
    hash = context.withUnsafeBytes { ContentHash(of: $0).value }
  }

  /// The tag as `W/"count-hash"` in hexadecimal digits.
  var fieldValue: String {
    withFieldValue { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls a closure with the bytes of ``fieldValue``.
  ///
  /// Written from its end: building it from strings took longer than the hash.
  func withFieldValue<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { buffer in
      var start = buffer.count
      func write(_ byte: UInt8) {
        start -= 1
        buffer[start] = byte
      }
      func writeDigits(_ number: UInt64) {
        var rest = number
        repeat {
          let digit = UInt8(truncatingIfNeeded: rest & 15)
          write(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
          rest >>= 4
        } while rest > 0
      }
      write(UInt8(ascii: "\""))
      writeDigits(hash)
      write(UInt8(ascii: "-"))
      writeDigits(count)
      for byte in "\"/W".utf8 { write(byte) }
      return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...]))
    }
  }
}

/// The tags in an `If-None-Match` or `If-Match` field.
///
/// All tags of the server are weak, since a body may be sent compressed; so `If-Match` compares them as weak ones too.
struct EntityTagList {
  private let items: [Substring]

  init(_ field: String) {
    items = field.split(separator: ",").map { item in
      let item = item.drop { $0 == " " || $0 == "\t" }
      let end = item.lastIndex { $0 != " " && $0 != "\t" }
      return end.map { item[...$0] } ?? ""
    }
  }

  /// Whether the field names a tag, or is `*`; weak and strong tags are alike (RFC 9110, section 8.8.3.2).
  func names(_ tag: String) -> Bool {
    items.contains { $0 == "*" || Self.opaque($0) == Self.opaque(tag[...]) }
  }

  private static func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}
