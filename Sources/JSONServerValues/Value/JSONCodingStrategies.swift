#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How dates are written in JSON.
public enum JSONDateStrategy: Sendable, Hashable {
  /// As internet date and time, such as `2025-01-31T10:00:00Z`; written with milliseconds when the date has a fraction,
  /// read with and without them (RFC 3339).
  case iso8601
  /// As the number of seconds since 1970.
  case secondsSince1970
  /// As the number of milliseconds since 1970, as JavaScript's `Date.now()` counts.
  case millisecondsSince1970

  /// From the year 0000 to 9999, the years that RFC 3339 can write, in seconds since 1970.
  private static let writableSeconds = -62_167_219_200.0..<253_402_300_800.0

  /// The date as a JSON value; `nil` when it cannot be written.
  func value(of date: Date) -> JSONValue? {
    let seconds = date.timeIntervalSince1970
    switch self {
    case .iso8601:
      guard Self.writableSeconds.contains(seconds) else { return nil }
      let hasFraction = seconds.truncatingRemainder(dividingBy: 1) != 0
      return .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)))
    case .secondsSince1970:
      return JSONNumber(seconds).map(JSONValue.number)
    case .millisecondsSince1970:
      return JSONNumber(seconds * 1000).map(JSONValue.number)
    }
  }

  /// The date that a JSON value stands for; `nil` when there is none.
  func date(from value: JSONValue) -> Date? {
    switch (self, value) {
    case (.iso8601, .string(let text)):
      // Not every Foundation reads a fraction without being asked to.
      return [true, false].lazy
        .compactMap { try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: $0)) }
        .first
    case (.secondsSince1970, .number(let number)) where number.doubleValue.isFinite:
      return Date(timeIntervalSince1970: number.doubleValue)
    case (.millisecondsSince1970, .number(let number)) where number.doubleValue.isFinite:
      return Date(timeIntervalSince1970: number.doubleValue / 1000)
    case (.iso8601, _), (.secondsSince1970, _), (.millisecondsSince1970, _):
      return nil
    }
  }
}

/// How the coding keys of Swift types become the names of JSON members.
///
/// Coding keys are the names of properties, of an enumeration's cases and of their associated values, or what the
/// type's `CodingKeys` declare instead. The keys of dictionaries are data and stay as they are.
public enum JSONNameStrategy: Sendable, Hashable {
  /// The names stay as they are.
  case unchanged
  /// `createdAt` becomes `created_at`, and `imageURL` becomes `image_url`; digits start no word, so that `line2` stays.
  case snakeCase

  /// The member's name for a property's name.
  func memberName(_ propertyName: String) -> String {
    switch self {
    case .unchanged: propertyName
    case .snakeCase: Self.snakeCase(propertyName)
    }
  }

  /// The property's name for a member's name, as nearly as it can be inferred: `image_url` becomes `imageUrl`.
  func propertyName(_ memberName: String) -> String {
    switch self {
    case .unchanged:
      return memberName
    case .snakeCase:
      let words = memberName.split(separator: "_")
      guard let first = words.first else { return memberName }
      return first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
  }

  /// A word starts at a capital after a lowercase letter, and at the last of several capitals before a lowercase one.
  private static func snakeCase(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (index, character) in characters.enumerated() {
      if index > 0, character.isUppercase, characters[index - 1] != "_" {
        let nextIsSmall = index + 1 < characters.count && characters[index + 1].isLowercase
        if !characters[index - 1].isUppercase || nextIsSmall { result += "_" }
      }
      result += character.lowercased()
    }
    return result
  }
}
