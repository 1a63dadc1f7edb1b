import JSONServerValues

/// The texts by which times are compared: `2026-01-01T09:30:00.120+01:00` and `2026-01-01T08:30:00.12Z` are one instant.
///
/// Filters, sorting and indexes compare texts; these compare what stands here in place of a time with a zone (RFC 3339, with
/// optional seconds, a space for `T`, and offsets without colon). Times without a zone and dates stay as they are.
package enum InstantText {
  /// Calls a closure with the text by which a text is compared: a time in UTC without trailing zeros, with a tab in place of
  /// the zone, which comes before a fraction by code point and by collation; any other text itself.
  @inline(__always)
  static func withKey<Result>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard mayBeTime(text), let time = ZonedTime(text) else { return body(text) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longest) { buffer in
      let count = time.write(to: buffer)
      return body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// The key of a text.
  static func key(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { withKey(of: $0) { Array($0) } }
  }

  /// The seconds from 1970 to a time with a zone; `nil` for any other text, and for a day that the calendar lacks.
  package static func secondsSince1970(of text: String) -> Double? {
    var text = text
    return text.withUTF8 { mayBeTime($0) ? ZonedTime($0)?.secondsSince1970 : nil }
  }

  /// Whether a text has the length of a time, and two of its separators.
  @inline(__always)
  private static func mayBeTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    17...longest ~= text.count && text[4] == UInt8(ascii: "-") && text[13] == UInt8(ascii: ":")
  }

  /// The most bytes of a text that is read as a time.
  fileprivate static let longest = 48
}

/// A date and a time with a zone, as they stand in a text.
private struct ZonedTime {
  private let text: UnsafeBufferPointer<UInt8>
  private let hasSeconds: Bool
  /// The fraction of the second without trailing zeros, with its point.
  private let fraction: Range<Int>
  /// The minutes by which the zone is ahead of UTC.
  private let offset: Int

  init?(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    func number(_ index: Int, _ limit: Int) -> Bool { Self.number(text, index).map { $0 <= limit } ?? false }
    guard Self.number(text, 0) != nil, Self.number(text, 2) != nil, text[7] == UInt8(ascii: "-"),
      number(5, 12), number(8, 31), "Tt ".utf8.contains(text[10]), number(11, 23), number(14, 59)
    else { return nil }
    var end = 16
    hasSeconds = text[end] == UInt8(ascii: ":")
    if hasSeconds {
      guard number(17, 60) else { return nil }
      end = 19
    }
    var last = end
    if hasSeconds, end < text.count, text[end] == UInt8(ascii: ".") {
      let digits = text[(end + 1)...].prefix { 48...57 ~= $0 }
      guard !digits.isEmpty else { return nil }
      last = digits.lastIndex { $0 != UInt8(ascii: "0") }.map { $0 + 1 } ?? end
      fraction = end..<last
      end = digits.endIndex
    } else {
      fraction = end..<end
    }
    guard let offset = Self.offset(of: text[end...]) else { return nil }
    self.offset = offset
  }

  /// Reads `Z`, `+01:00`, `+0100` or `+01`.
  private static func offset(of zone: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    let rest = UnsafeBufferPointer(rebasing: zone)
    switch (rest.first, rest.count) {
    case (UInt8(ascii: "Z")?, 1), (UInt8(ascii: "z")?, 1): return 0
    case (UInt8(ascii: "+")?, 3), (UInt8(ascii: "-")?, 3), (UInt8(ascii: "+")?, 5), (UInt8(ascii: "-")?, 5): break
    case (UInt8(ascii: "+")?, 6), (UInt8(ascii: "-")?, 6): guard rest[3] == UInt8(ascii: ":") else { return nil }
    default: return nil
    }
    guard let hours = number(rest, 1), hours < 24, let minutes = rest.count == 3 ? 0 : number(rest, rest.count - 2),
      minutes < 60
    else { return nil }
    return (rest[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
  }

  /// Two digits.
  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    guard index + 1 < text.count, 48...57 ~= text[index], 48...57 ~= text[index + 1] else { return nil }
    return Int(text[index] - 48) * 10 + Int(text[index + 1] - 48)
  }

  private func number(_ index: Int) -> Int { Self.number(text, index) ?? 0 }

  /// - Returns: The number of bytes.
  func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var count = 0
    func append(_ bytes: some Sequence<UInt8>) {
      for byte in bytes {
        buffer.initializeElement(at: count, to: byte)
        count += 1
      }
    }
    if let shifted {
      append(shifted.utf8)
    } else {
      append(text[..<10])
      append("T".utf8)
      append(text[11..<16])
    }
    append(":".utf8)
    if hasSeconds { append(text[17..<19]) } else { append("00".utf8) }
    append(text[fraction])
    append("\t".utf8)
    return count
  }

  /// The time without its seconds, in seconds since 1970.
  private var minute: Int64 {
    let days = CivilTime.daysSince1970(year: number(0) * 100 + number(2), month: number(5), day: number(8))
    return Int64(days) * 86_400 + Int64(number(11) * 3600 + (number(14) - offset) * 60)
  }

  var secondsSince1970: Double? {
    let day = CivilTime(secondsSince1970: minute + Int64(offset * 60))
    guard day.month == number(5), day.day == number(8) else { return nil }
    let part = Double("0" + String(decoding: text[fraction], as: UTF8.self)) ?? 0
    return Double(minute) + Double(hasSeconds ? number(17) : 0) + part
  }

  /// The date, the hour and the minute in UTC; `nil` for a zone that is UTC.
  private var shifted: String? {
    guard offset != 0 else { return nil }
    let time = CivilTime(secondsSince1970: minute)
    // Before the year 0 or after 9999, the text stays near its place.
    guard 0...9999 ~= time.year else { return nil }
    let year = String(10_000 + time.year).dropFirst()
    let date = "\(year)-\(CivilTime.twoDigits(time.month))-\(CivilTime.twoDigits(time.day))"
    return "\(date)T\(time.clock.prefix(5))"
  }
}
