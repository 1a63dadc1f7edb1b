import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a store needs to know about its process, and sets in it.
enum CurrentProcess {
  static var identifier: Int32 { getpid() }

  static var openFileLimit: Int { Int(clamping: system_open_file_limit()) }

  /// Turns a broken pipe and an exceeded file size limit into errors, which would else end the process.
  static func ignoreFileSignals() {
    storage_ignore_signals()
  }
}
