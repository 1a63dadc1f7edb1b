import CStorage
import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that this command runs.
struct ChildProcess: Sendable {
  private let id: pid_t

  /// Starts a program, which is looked for in PATH unless it is named with a slash. It has none of this process's
  /// sockets and files: a port stays bound as long as any process has the socket.
  ///
  /// - Parameters:
  ///   - variables: Added to the environment.
  ///   - descriptors: What becomes its standard input, output and error, by their numbers; by default this process's.
  /// - Returns: `nil` when there is no such program, or it cannot be run.
  static func start(
    _ arguments: [String], variables: [String: String] = [:], descriptors: [Int32: Int32] = [:]
  ) -> ChildProcess? {
    guard !arguments.isEmpty else { return nil }
    let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }.map { "\($0)=\($1)" }
    let standard = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { descriptors[$0] ?? $0 }
    let id = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        system_spawn(arguments, environment, standard)
      }
    }
    return id < 0 ? nil : ChildProcess(id: id)
  }

  private static func withCStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int32
  ) -> Int32 {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }

  /// Runs a program to its end.
  ///
  /// - Returns: Its standard output and its exit code; `nil` when it cannot be run.
  static func output(of arguments: [String]) -> (bytes: [UInt8], status: Int32)? {
    guard let pipe = PipeEnds() else { return nil }
    defer { close(pipe.reading) }
    let child = start(arguments, descriptors: [STDOUT_FILENO: pipe.writing])
    close(pipe.writing)
    guard let child else { return nil }
    let bytes = FileText.contents(from: pipe.reading)
    let status = child.wait()
    return bytes.map { ($0, status) }
  }

  /// Waits for the end. Blocks.
  ///
  /// - Returns: The exit code, as a shell has it: 128 and the number for the end by a signal.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return 1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Waits for the end on another thread: one of a queue of its own, since Swift's tasks share those of the global
  /// queue on Linux, where one that waits is one less for them.
  func onEnd(_ body: @escaping @Sendable (_ status: Int32) -> Void) {
    DispatchQueue(label: "end of a program").async { body(wait()) }
  }

  func send(_ signal: Int32) {
    kill(id, signal)
  }
}

/// The two ends of a pipe, which no program that is started later inherits unasked.
struct PipeEnds {
  let reading: Int32
  let writing: Int32

  /// Makes a pipe; `nil` when the process has no descriptors left.
  init?() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }
}

/// The user's browser.
enum Browser {
  #if canImport(Darwin)
    private static let opener = "open"
  #else
    private static let opener = "xdg-open"
  #endif

  /// Opens a page, and does not wait for it; a machine without a browser is left alone.
  static func open(_ url: String) {
    // The shell ends at once, and the browser then belongs to no one here.
    let shell = ChildProcess.start(["/bin/sh", "-c", "\(opener) \"$0\" >/dev/null 2>&1 &", url])
    _ = shell?.wait()
  }
}
