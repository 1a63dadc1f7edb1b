/// The `Date` field of answers, made anew once a second.
struct DateField {
  private var second = Int.min
  private var line: [UInt8] = []

  /// Returns the field's line, line break included (RFC 9110, section 5.6.7).
  mutating func line(at now: Int = Int(System.now)) -> [UInt8] {
    if now != second {
      second = now
      line = Array("Date: \(HTTPDate(secondsSince1970: now).text)\r\n".utf8)
    }
    return line
  }
}
