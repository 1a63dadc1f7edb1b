/// The `Date` field of answers, made anew once a second.
struct DateField {
  private var second = Int.min
  private var line: [UInt8] = []

  /// Returns the field's line, line break included (RFC 9110, section 5.6.7).
  mutating func line(at now: Int = System.secondsSince1970) -> [UInt8] {
    if now != second {
      second = now
      line = Array("Date: \(Self.text(at: now))\r\n".utf8)
    }
    return line
  }

  /// Returns a time in the form of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(at secondsSince1970: Int) -> String {
    let (days, second) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = civilDate(daysSince1970: days)
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
    let monthName = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
    let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(twoDigits(day)) \(monthName) \(year) \(time) GMT"
  }

  static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The Gregorian date of a day from 1970 on (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  static func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
