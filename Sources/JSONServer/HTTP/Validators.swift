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

/// A point in time as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
struct HTTPDate: Sendable, Hashable, Comparable {
  let secondsSince1970: Int64

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  init(secondsSince1970: Int64) {
    self.secondsSince1970 = secondsSince1970
  }

  /// Reads a date in the preferred form; `nil` for the two obsolete ones, which no client has sent for decades.
  init?(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), 1...31 ~= day,
      let month = Self.months.firstIndex(where: { $0 == parts[2] }), let year = Int(parts[3]), 1...9999 ~= year
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
    let days = CivilTime.daysSince1970(year: year, month: month + 1, day: day)
    secondsSince1970 = Int64(days) * 86_400 + Int64(clock[0] * 3600 + clock[1] * 60 + clock[2])
  }

  /// The date in the preferred form.
  var text: String {
    let time = CivilTime(secondsSince1970: secondsSince1970)
    let year = String(repeating: "0", count: max(0, 4 - String(time.year).count)) + String(time.year)
    let date = "\(CivilTime.twoDigits(time.day)) \(Self.months[time.month - 1]) \(year)"
    return "\(Self.weekdays[time.weekday]), \(date) \(time.clock) GMT"
  }

  static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }
}
