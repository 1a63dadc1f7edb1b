/// A point in time as the Gregorian calendar and a clock in UTC show it.
package struct CivilTime {
  /// The year of the Gregorian calendar.
  package let year: Int
  /// From 1.
  package let month: Int
  /// From 1.
  package let day: Int
  /// From Sunday, 0.
  package let weekday: Int
  private let secondOfDay: Int

  /// Creates the time at which a number of seconds have passed since 1970.
  package init(secondsSince1970: Int64) {
    let days = Int((secondsSince1970 >= 0 ? secondsSince1970 : secondsSince1970 - 86_399) / 86_400)
    secondOfDay = Int(secondsSince1970 - Int64(days) * 86_400)
    weekday = ((days + 4) % 7 + 7) % 7
    (year, month, day) = Self.date(daysSince1970: days)
  }

  /// The date: `2026-11-21`.
  package var date: String { "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))" }

  /// The time of day: `08:49:37`.
  package var clock: String {
    [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map(Self.twoDigits).joined(separator: ":")
  }

  /// A number below 100 as calendars and clocks write it.
  package static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The days from 1970 to a date, counted in years that start in March, whose leap day is the last (Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms").
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
  }

  /// The inverse of ``daysSince1970(year:month:day:)``.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
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
