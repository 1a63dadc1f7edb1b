import CStorage
import Dispatch
import NIOConcurrencyHelpers

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

  /// Starts a program, which is looked up in PATH unless its name has a slash. It inherits none of this process's
  /// sockets and files: a port stays bound as long as any process has the socket.
  ///
  /// - Parameters:
  ///   - variables: Added to the environment.
  ///   - descriptors: Its standard input, output and error, by number; by default those of this process.
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
  /// - Parameters:
  ///   - variables: Added to the environment.
  ///   - withErrors: Whether its standard error is read, too.
  /// - Returns: Its standard output and its exit code; `nil` when it cannot be run.
  static func output(
    of arguments: [String], variables: [String: String] = [:], withErrors: Bool = false
  ) -> (bytes: [UInt8], status: Int32)? {
    guard let pipe = PipeEnds() else { return nil }
    defer { close(pipe.reading) }
    let descriptors = withErrors ? [STDOUT_FILENO, STDERR_FILENO] : [STDOUT_FILENO]
    let child = start(
      arguments, variables: variables, descriptors: Dictionary(descriptors.map { ($0, pipe.writing) }) { $1 })
    close(pipe.writing)
    guard let child else { return nil }
    let bytes = FileText.contents(from: pipe.reading)
    let status = child.wait()
    return bytes.map { ($0, status) }
  }

  /// Waits for the end. Blocks.
  ///
  /// - Returns: The exit code in the way of shells: 128 plus the number for an end by a signal.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return 1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Waits for the end on a thread of a queue of its own: on Linux, Swift's tasks share the threads of the global
  /// queue, and a waiting thread would be missing there.
  func onEnd(_ body: @escaping @Sendable (_ status: Int32) -> Void) {
    DispatchQueue(label: "end of a program").async { body(wait()) }
  }

  func send(_ signal: Int32) {
    kill(id, signal)
  }
}

/// The two ends of a pipe, which programs inherit only on request.
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

  /// Opens a page without waiting; does nothing on a machine without a browser.
  static func open(_ url: String) {
    // The shell ends immediately, and the browser is then no child of this process.
    let shell = ChildProcess.start(["/bin/sh", "-c", "\(opener) \"$0\" >/dev/null 2>&1 &", url])
    _ = shell?.wait()
  }
}

/// One run of curl, which another thread may cancel.
final class CurlTransfer: Sendable {
  enum Result: Sendable {
    /// There is no curl, or no descriptors are left.
    case notStarted
    case cancelled
    case tooLarge
    /// The bytes of standard output, the text of standard error, and the exit code.
    case ended([UInt8], String, status: Int32)
  }

  /// The running program; `nil` also when it ends by itself, since another process may soon have its number.
  private let state = NIOLockedValueBox((child: ChildProcess?.none, isCancelled: false))

  /// Cancels the run, now or as soon as it begins.
  func cancel() {
    state.withLockedValue { state in
      state.isCancelled = true
      state.child?.send(SIGKILL)
    }
  }

  /// Runs curl to its end. Blocks.
  ///
  /// - Parameters:
  ///   - configuration: The options in the form of curl's configuration files.
  ///   - maximumBytes: The number of output bytes after which curl is ended.
  func run(configuration: String, maximumBytes: Int) -> Result {
    let pipes = (0..<3).compactMap { _ in PipeEnds() }
    defer { for pipe in pipes { close(pipe.reading) } }
    guard pipes.count == 3 else {
      for pipe in pipes { close(pipe.writing) }
      return .notStarted
    }
    let (input, output, error) = (pipes[0], pipes[1], pipes[2])
    let child = state.withLockedValue { state in
      guard !state.isCancelled else { return ChildProcess?.none }
      state.child = ChildProcess.start(
        // Must be the first argument: otherwise the user's own configuration of curl applies, too.
        ["curl", "--disable", "--config", "-"],
        descriptors: [
          STDIN_FILENO: input.reading, STDOUT_FILENO: output.writing, STDERR_FILENO: error.writing,
        ])
      return state.child
    }
    close(output.writing)
    close(error.writing)
    // This process still has the reading end, so writing neither fails nor raises a signal.
    if child != nil { FileText.send(Array(configuration.utf8), to: input.writing) }
    close(input.writing)
    guard let child else { return state.withLockedValue(\.isCancelled) ? .cancelled : .notStarted }
    let bytes = FileText.contents(from: output.reading, maximumBytes: maximumBytes)
    if bytes == nil { child.send(SIGKILL) }
    let message = FileText.contents(from: error.reading) ?? []
    let isCancelled = state.withLockedValue { state in
      state.child = nil
      return state.isCancelled
    }
    let status = child.wait()
    if isCancelled { return .cancelled }
    guard let bytes else { return .tooLarge }
    return .ended(bytes, String(decoding: message, as: UTF8.self), status: status)
  }
}

/// A temporary file that only this user may read.
struct TemporaryFile {
  let path: String

  /// Writes a file; `nil` when that fails.
  init?(_ bytes: [UInt8]) {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    // mkstemp(3) replaces the last six characters.
    var name = Array("\(directory)/swift-json-server.XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard FileText.send(bytes, to: descriptor) else {
      remove()
      return nil
    }
  }

  func remove() {
    FileText.remove(path)
  }
}
