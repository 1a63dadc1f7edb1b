import JSONServerValues

/// The format of times: numbers since 1970, or texts such as `2024-01-18T16:20:00Z` (RFC 3339, ISO 8601).
struct DateForm {
  private enum Kind {
    case milliseconds
    case seconds(isWhole: Bool)
    case text(Text)
  }

  private struct Text {
    /// The text between the date and the time; empty for a date alone.
    var separator = ""
    var hasSeconds = true
    var fractionDigits = 0
    var zone = "Z"
    /// The minutes by which the zone is ahead of UTC.
    var offset: Int64 = 0
  }

  /// The number of records that are examined for an example.
  static let exampleCount = 20

  private let kind: Kind

  /// Finds the format of times in a member; if no record has the member, in the records' other members.
  init(of member: String, in records: [ValidJSON]) {
    let name = Array(member.utf8)
    let own = records.lazy.compactMap { record in record.withToken { $0.member(name).flatMap(Self.kind) } }.first
    let other = records.lazy.flatMap { $0.members ?? [] }.compactMap { member -> Kind? in
      guard case .text(let text)? = member.value.withToken(Self.kind), !text.separator.isEmpty else { return nil }
      return .text(text)
    }
    kind = own ?? other.first ?? .text(Text(separator: "T"))
  }

  private static func kind(of value: ValueToken) -> Kind? {
    switch value.kind {
    case .string: return text(of: value.text).map(Kind.text)
    case .number:
      // As seconds, 10^11 is in the year 5138; as milliseconds, 10^8 is in January 1970.
      let number = value.double
      if number >= 1e11 { return .milliseconds }
      return number >= 1e8 ? .seconds(isWhole: number.rounded() == number) : nil
    case .null, .bool, .array, .object: return nil
    }
  }

  private static func text(of value: String) -> Text? {
    var shape = value[...]
    func take(_ pattern: String) -> Bool {
      guard shape.utf8.count >= pattern.utf8.count,
        zip(shape.utf8, pattern.utf8).allSatisfy({ $1 == UInt8(ascii: "0") ? 48...57 ~= $0 : $0 == $1 })
      else { return false }
      shape = shape.dropFirst(pattern.utf8.count)
      return true
    }
    guard value.utf8.count < 40, take("0000-00-00") else { return nil }
    if shape.isEmpty { return Text() }
    var text = Text(separator: String(shape.prefix(1)))
    guard take("T") || take(" "), take("00:00") else { return nil }
    text.hasSeconds = take(":00")
    if take(".0") {
      text.fractionDigits = 1
      while take("0") { text.fractionDigits += 1 }
    }
    text.zone = String(shape)
    guard shape.isEmpty || shape == "Z" else {
      let sign: Int64 = shape.first == "-" ? -1 : 1
      let digits = shape.compactMap(\.wholeNumberValue).map(Int64.init)
      guard take("+00:00") || take("-00:00") || take("+0000") || take("-0000"), shape.isEmpty else { return nil }
      text.offset = sign * (digits[0] * 600 + digits[1] * 60 + digits[2] * 10 + digits[3])
      return text
    }
    return text
  }

  /// A time as JSON.
  ///
  /// - Parameter milliseconds: The time since 1970.
  func value(milliseconds: Int64) -> ValidJSON {
    switch kind {
    case .milliseconds: return ValidJSON(writing: JSONValue(integerLiteral: Int(milliseconds)))
    case .seconds(isWhole: true): return ValidJSON(writing: JSONValue(integerLiteral: Int(milliseconds / 1000)))
    case .seconds(isWhole: false): return ValidJSON(writing: JSONValue(floatLiteral: Double(milliseconds) / 1000))
    case .text(let text):
      let time = CivilTime(secondsSince1970: milliseconds / 1000 + text.offset * 60)
      var output = time.date
      guard !text.separator.isEmpty else { return ValidJSON(writing: .string(output)) }
      output += text.separator + time.clock.prefix(text.hasSeconds ? 8 : 5)
      if text.fractionDigits > 0 {
        let fraction =
          String(1000 + milliseconds % 1000).dropFirst() + String(repeating: "0", count: text.fractionDigits)
        output += "." + fraction.prefix(text.fractionDigits)
      }
      return ValidJSON(writing: .string(output + text.zone))
    }
  }
}
