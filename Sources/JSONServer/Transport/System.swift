#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the transport asks the operating system beside NIO.
enum System {
  /// The most files that this process may hold open, sockets among them.
  static var openFileLimit: Int { limit(sysconf(Int32(_SC_OPEN_MAX))) }

  /// A limit as `sysconf` tells it, to which a negative number is none.
  static func limit(_ number: Int) -> Int { number < 0 ? .max : number }

  /// The whole seconds since 1970 by the wall clock.
  static var secondsSince1970: Int { time(nil) }
}
