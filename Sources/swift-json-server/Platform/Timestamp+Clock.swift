import JSONServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Timestamp {
  /// `14:05:09`, in the time zone of the machine.
  var clock: String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { CivilTime.twoDigits(Int($0)) }.joined(separator: ":")
  }
}
