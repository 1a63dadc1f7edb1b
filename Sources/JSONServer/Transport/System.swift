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
  static var openFileLimit: Int { sysconf(Int32(_SC_OPEN_MAX)) }

  /// The whole seconds since 1970 by the wall clock.
  static var secondsSince1970: Int { time(nil) }

  /// The linger setting that makes a close a reset.
  ///
  /// Two C integers, on and the seconds to linger. They are not named, because which module owns the members of `linger`
  /// depends on the order in which the C modules were loaded.
  static var resetOnClose: linger { unsafeBitCast((CInt(1), CInt(0)), to: linger.self) }
}
