import JSONDatabase

/// A time in logs and journals, for people and programs.
package struct Timestamp: Sendable {
  /// Milliseconds since 1970, by the wall clock; more than the `Int` of a watch can hold.
  package let milliseconds: Int64

  package init(secondsSince1970: Double) {
    milliseconds = Int64(secondsSince1970 * 1000)
  }

  package static var now: Timestamp { Timestamp(secondsSince1970: System.now) }

  /// The time of a server whose clock differs from the machine's.
  package static func now(later offset: Duration) -> Timestamp {
    Timestamp(secondsSince1970: System.now + offset / .seconds(1))
  }

  /// `2026-11-21T14:05:09.042Z`, as in RFC 3339.
  package var rfc3339: String {
    let time = CivilTime(secondsSince1970: milliseconds / 1000)
    return "\(time.date)T\(time.clock).\(String(1000 + milliseconds % 1000).dropFirst())Z"
  }
}

extension Date {
  /// Reads a time with a zone such as `2030-01-31T09:30:00Z`, in every form that filters compare as an instant; `nil` for
  /// another text.
  package init?(rfc3339 text: String) {
    guard let seconds = InstantText.secondsSince1970(of: text) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }
}
