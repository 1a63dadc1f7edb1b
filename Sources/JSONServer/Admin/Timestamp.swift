/// Writes times as people and machines read them (RFC 3339): `2026-11-21T10:00:00.123Z`.
enum Timestamp {
  /// Returns a time as text, to the millisecond.
  static func text(at secondsSince1970: Double) -> String {
    let milliseconds = Int(secondsSince1970 * 1000)
    let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
    let (year, month, day) = DateField.civilDate(daysSince1970: days)
    let date = "\(year)-\(DateField.twoDigits(month))-\(DateField.twoDigits(day))"
    let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map(DateField.twoDigits).joined(separator: ":")
    return "\(date)T\(time).\(String(1000 + rest % 1000).dropFirst())Z"
  }
}
