import JSONDatabase

/// A time in logs and journals, for people and programs.
package struct Timestamp: Sendable {
  /// Milliseconds since 1970, by the wall clock; more than the `Int` of a watch can hold.
  package let milliseconds: Int64

  init(secondsSince1970: Double) {
    milliseconds = Int64(secondsSince1970 * 1000)
  }

  package static var now: Timestamp { Timestamp(secondsSince1970: System.now) }

  /// `2026-11-21T14:05:09.042Z`, as in RFC 3339.
  package var rfc3339: String {
    let time = CivilTime(secondsSince1970: milliseconds / 1000)
    let date = "\(time.year)-\(CivilTime.twoDigits(time.month))-\(CivilTime.twoDigits(time.day))"
    return "\(date)T\(time.clock).\(String(1000 + milliseconds % 1000).dropFirst())Z"
  }
}

/// A time in the format of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
struct HTTPDate: Sendable, Hashable {
  let secondsSince1970: Int64
}

extension HTTPDate {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a date in the preferred format; `nil` for the two obsolete formats, which no client has sent for decades.
  init?(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), 1...31 ~= day,
      let month = Self.months.firstIndex(where: { $0 == parts[2] }), let year = Int(parts[3]), 1...9999 ~= year
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
    let days = CivilTime.daysSince1970(year: year, month: month + 1, day: day)
    self.init(secondsSince1970: Int64(days) * 86_400 + Int64(clock[0] * 3600 + clock[1] * 60 + clock[2]))
  }

  /// The date in the preferred form.
  var text: String {
    let time = CivilTime(secondsSince1970: secondsSince1970)
    let year = String(repeating: "0", count: max(0, 4 - String(time.year).count)) + String(time.year)
    let date = "\(CivilTime.twoDigits(time.day)) \(Self.months[time.month - 1]) \(year)"
    return "\(Self.weekdays[time.weekday]), \(date) \(time.clock) GMT"
  }
}
