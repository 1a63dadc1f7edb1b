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
  /// Whether signals go to all its children, too.
  private let leadsGroup: Bool
  /// The exit code of a program that was killed.
  static let killed = 128 + SIGKILL
  /// The programs that have not ended.
  private static let running = NIOLockedValueBox<Set<pid_t>>([])

  /// Starts a program, which is looked up in PATH unless its name has a slash. It inherits none of this process's
  /// sockets and files: a port stays bound as long as any process has the socket.
  ///
  /// - Parameters:
  ///   - variables: Added to the environment.
  ///   - descriptors: Its standard input, output and error, by number; by default those of this process.
  ///   - leadsGroup: Whether it leads a process group, which gets the signals that are sent to it.
  /// - Returns: `nil` when there is no such program, or it cannot be run.
  static func start(
    _ arguments: [String], variables: [String: String] = [:], descriptors: [Int32: Int32] = [:],
    leadsGroup: Bool = false
  ) -> ChildProcess? {
    guard !arguments.isEmpty else { return nil }
    let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }.map { "\($0)=\($1)" }
    let standard = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { descriptors[$0] ?? $0 }
    let id = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        system_spawn(arguments, environment, standard, leadsGroup)
      }
    }
    guard id >= 0 else { return nil }
    _ = running.withLockedValue { $0.insert(id) }
    return ChildProcess(id: id, leadsGroup: leadsGroup)
  }

  private static func withCStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int32
  ) -> Int32 {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }

  /// Waits for the end. Blocks.
  ///
  /// - Returns: The exit code in the way of shells: 128 plus the number for an end by a signal.
  func wait() -> Int32 { status() ?? 1 }

  /// The exit code of a program that has ended; `nil` while it runs. Its number may then be that of another process.
  fileprivate var exitCode: Int32? { status(WNOHANG) }

  private func status(_ options: Int32 = 0) -> Int32? {
    var status: Int32 = 0
    var ended: pid_t
    repeat { ended = waitpid(id, &status, options) } while ended < 0 && errno == EINTR
    guard ended != 0 else { return nil }
    _ = Self.running.withLockedValue { $0.remove(id) }
    guard ended > 0 else { return 1 }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Waits for the end on a thread of a queue of its own: on Linux, Swift's tasks share the threads of the global
  /// queue, and a waiting thread would be missing there.
  func onEnd(_ body: @escaping @Sendable (_ status: Int32) -> Void) {
    DispatchQueue(label: "end of a program").async { body(wait()) }
  }

  func send(_ signal: Int32) {
    kill(leadsGroup ? -id : id, signal)
  }

  /// Sends a signal to all programs that run.
  static func sendToAll(_ signal: Int32) {
    running.withLockedValue { for id in $0 { kill(id, signal) } }
  }
}

/// A program that runs to its end, and whose output is read.
///
/// The package swift-subprocess is not used: it waits until all processes that have inherited the output end, and its
/// 14,000 lines would replace a hundred.
struct Program: Sendable {
  /// The place of what the program prints on standard error.
  enum ErrorStream {
    case standardError
    case output
    /// ``Output/errors``.
    case apart
  }

  struct Output: Sendable {
    /// Standard output; a little more than the largest number of bytes when there is more.
    let bytes: [UInt8]
    let errors: [UInt8]
    let status: Int32
  }

  /// The program, which is looked up in PATH unless its name has a slash, and its arguments.
  let arguments: [String]
  /// Added to the environment.
  var variables: [String: String] = [:]
  /// Standard input; `nil` for that of this process.
  var input: [UInt8]?
  var errors = ErrorStream.standardError
  /// The number of output bytes after which the program is killed.
  var maximumBytes = Int.max
  /// Whether the program is killed with its children.
  var leadsGroup = false

  /// Runs the program on a thread of its own. When the task is canceled, the program is killed.
  ///
  /// - Returns: `nil` when there is no such program, or it cannot be run.
  func run() async -> Output? {
    let isCanceled = NIOLockedValueBox(false)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A queue of its own has a thread of its own: Swift's tasks share their threads.
        DispatchQueue(label: "program").async {
          continuation.resume(returning: output { isCanceled.withLockedValue { $0 } })
        }
      }
    } onCancel: {
      isCanceled.withLockedValue { $0 = true }
    }
  }

  /// Runs the program. Blocks until its end.
  ///
  /// - Parameter isCanceled: Whether to kill the program, asked from time to time.
  /// - Returns: `nil` when there is no such program, or it cannot be run.
  func output(isCanceled: () -> Bool = { false }) -> Output? {
    let pipes = (0..<3).compactMap { _ in PipeEnds() }
    defer { for pipe in pipes { close(pipe.reading) } }
    guard pipes.count == 3 else {
      for pipe in pipes { close(pipe.writing) }
      return nil
    }
    var descriptors = [STDOUT_FILENO: pipes[0].writing]
    switch errors {
    case .standardError: break
    case .output: descriptors[STDERR_FILENO] = pipes[0].writing
    case .apart: descriptors[STDERR_FILENO] = pipes[1].writing
    }
    if input != nil { descriptors[STDIN_FILENO] = pipes[2].reading }
    let child = ChildProcess.start(arguments, variables: variables, descriptors: descriptors, leadsGroup: leadsGroup)
    for pipe in pipes.dropLast() { close(pipe.writing) }
    // This process still has the reading end, so writing neither fails nor raises a signal.
    if child != nil, let input { FileText.send(input, to: pipes[2].writing) }
    close(pipes[2].writing)
    return child.map { output(of: $0, pipes.dropLast().map(\.reading), isCanceled: isCanceled) }
  }

  /// Reads pipes to their ends. A process in the background may keep them open: when the program has ended, all is read
  /// until nothing comes for a moment, and no more than 100 pieces.
  private func output(of child: ChildProcess, _ pipes: [Int32], isCanceled: () -> Bool) -> Output {
    var files = pipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var contents = [[UInt8]](repeating: [], count: pipes.count)
    var status: Int32?
    var piecesLeft = 100
    while piecesLeft > 0, files.contains(where: { $0.fd >= 0 }) {
      if status == nil, isCanceled() || contents[0].count > maximumBytes { child.send(SIGKILL) }
      status = status ?? child.exitCode
      let hasMore = poll(&files, nfds_t(files.count), 100) > 0
      if status != nil { piecesLeft = hasMore ? piecesLeft - 1 : 0 }
      for index in files.indices where hasMore && files[index].revents != 0 {
        let piece = FileText.piece(from: pipes[index]) ?? []
        contents[index] += piece
        // poll(2) ignores negative numbers.
        if piece.isEmpty { files[index].fd = -1 }
      }
    }
    return Output(bytes: contents[0], errors: contents[1], status: status ?? child.wait())
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

/// Makes a temporary file or directory, and returns its path; `nil` when that fails.
///
/// - Parameter make: Replaces the last six characters of a path, as mkstemp(3) and mkdtemp(3) do; returns whether the path
///   exists now.
private func temporaryPath(_ make: (UnsafeMutablePointer<CChar>) -> Bool) -> String? {
  let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var path = Array("\(directory)/swift-json-server.XXXXXX".utf8CString)
  guard make(&path) else { return nil }
  return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A temporary directory that only this user may read.
struct TemporaryFolder {
  let path: String

  /// Makes a directory; `nil` when that fails.
  init?() {
    guard let path = temporaryPath({ mkdtemp($0) != nil }) else { return nil }
    self.path = path
  }

  /// Removes the directory with its content.
  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A temporary file that only this user may read.
struct TemporaryFile {
  let path: String

  /// Writes a file; `nil` when that fails.
  init?(_ bytes: [UInt8]) {
    var descriptor: Int32 = -1
    let path = temporaryPath { name in
      descriptor = mkstemp(name)
      return descriptor >= 0
    }
    guard let path else { return nil }
    defer { close(descriptor) }
    self.path = path
    guard FileText.send(bytes, to: descriptor) else {
      remove()
      return nil
    }
  }

  func remove() {
    FileText.remove(path)
  }
}
