/// A time as people and machines read it in logs and journals.
package struct Timestamp: Sendable {
  /// Since 1970, by the wall clock.
  package let milliseconds: Int

  package init(milliseconds: Int) {
    self.milliseconds = milliseconds
  }

  init(secondsSince1970: Double) {
    milliseconds = Int(secondsSince1970 * 1000)
  }

  package static var now: Timestamp { Timestamp(secondsSince1970: System.now) }

  /// `2026-11-21T14:05:09.042Z`, as RFC 3339 has it.
  package var rfc3339: String {
    let time = CivilTime(secondsSince1970: milliseconds / 1000)
    let date = "\(time.year)-\(CivilTime.twoDigits(time.month))-\(CivilTime.twoDigits(time.day))"
    return "\(date)T\(time.clock).\(String(1000 + milliseconds % 1000).dropFirst())Z"
  }
}
