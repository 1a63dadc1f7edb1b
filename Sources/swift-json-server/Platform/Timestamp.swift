#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A time of day, as logs show it.
struct Timestamp: Sendable {
  /// Since 1970, by the wall clock.
  let milliseconds: Int

  init(milliseconds: Int) {
    self.milliseconds = milliseconds
  }

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
  }

  /// `14:05:09`, in the time zone of the machine.
  var clock: String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits).joined(separator: ":")
  }

  /// `2026-11-21T14:05:09.042Z`, as RFC 3339 has it.
  var rfc3339: String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    let day = [parts.tm_mon + 1, parts.tm_mday].map(Self.twoDigits).joined(separator: "-")
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits).joined(separator: ":")
    return "\(parts.tm_year + 1900)-\(day)T\(time).\(fraction)Z"
  }

  private static func twoDigits(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
