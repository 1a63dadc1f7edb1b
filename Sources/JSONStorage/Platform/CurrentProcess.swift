import CStorage
import JSONDatabase

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The properties of the process that stores and servers read and set.
package enum CurrentProcess {
  static var identifier: Int32 { getpid() }

  /// The largest number of files, including sockets, that this process may have open.
  package static var openFileLimit: Int { Int(clamping: system_open_file_limit()) }

  /// Turns a broken pipe and an exceeded file size limit into errors, which would otherwise end the process.
  static func ignoreFileSignals() {
    storage_ignore_signals()
  }
}

/// The time of day.
enum WallClock {
  static var now: FileStamp.Time {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return FileStamp.Time(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// A time in UTC as a part of a file name: sorted by name is sorted by time.
  static func fileNamePart(of moment: FileStamp.Time) -> String {
    let time = CivilTime(secondsSince1970: moment.seconds)
    let milliseconds = String(1000 + moment.nanoseconds / 1_000_000).dropFirst()
    return "\(time.date)T\(time.clock.replacing(":", with: "-")).\(milliseconds)Z"
  }
}
