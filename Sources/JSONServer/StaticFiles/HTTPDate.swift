/// A point in time as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
struct HTTPDate: Sendable, Hashable, Comparable {
  let secondsSince1970: Int

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  init(secondsSince1970: Int) {
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
    let days = Self.days(year: year, month: month + 1, day: day)
    secondsSince1970 = days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// The date in the preferred form.
  var text: String {
    let days = Int((Double(secondsSince1970) / 86_400).rounded(.down))
    let seconds = secondsSince1970 - days * 86_400
    let (year, month, day) = Self.civil(days: days)
    let weekday = Self.weekdays[(days % 7 + 7) % 7]
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(Self.twoDigits).joined(separator: ":")
    let yearText = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
    return "\(weekday), \(Self.twoDigits(day)) \(Self.months[month - 1]) \(yearText) \(clock) GMT"
  }

  static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The days from 1970 to a date of the Gregorian calendar, counted in years that start in March, whose leap day is
  /// the last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
  }

  /// The inverse of ``days(year:month:day:)``.
  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let day = days + 719_468
    let era = day / 146_097
    let dayOfEra = day % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
