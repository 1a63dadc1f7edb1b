/// Lets a few reports pass each minute, and tells how many were held back.
struct ReportLimit {
  /// The most reports of a minute.
  static let perMinute = 10

  private var minuteStart = -Double.infinity
  private var admitted = 0
  private var heldBack = 0

  /// Decides about a report.
  ///
  /// - Parameter now: The time in seconds; a clock that is set back begins a new minute.
  /// - Returns: The report, with the number of those held back before it; `nil` when this one is held back.
  mutating func admit(_ report: String, at now: Double) -> String? {
    if !(0..<60).contains(now - minuteStart) { (minuteStart, admitted) = (now, 0) }
    guard admitted < Self.perMinute else {
      heldBack += 1
      return nil
    }
    admitted += 1
    defer { heldBack = 0 }
    return heldBack == 0 ? report : "\(report) Before it, \(heldBack) more were not reported."
  }
}
