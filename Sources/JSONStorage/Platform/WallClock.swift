#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The time of day.
enum WallClock {
  static var now: FileStamp.Time {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return FileStamp.Time(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// The time of day in UTC as a part of a file name: sorted by name is sorted by time.
  static var fileNamePart: String {
    let now = now
    var seconds = time_t(now.seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map(padded).joined(separator: "-")
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: "-")
    let milliseconds = String(1000 + now.nanoseconds / 1_000_000).dropFirst()
    return "\(date)T\(time).\(milliseconds)Z"
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
