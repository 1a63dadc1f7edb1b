import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A thread of the system, for work that blocks.
enum DetachedThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  /// Runs a closure on a new thread, which ends when the closure returns.
  static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let context = Unmanaged.passRetained(Body(body))
    let result = storage_thread_start(runBody, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw SystemError("pthread_create", errno)
    }
  }

  private static let runBody: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
}
