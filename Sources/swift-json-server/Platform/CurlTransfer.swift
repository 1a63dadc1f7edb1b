import NIOConcurrencyHelpers

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One run of curl, which another thread may end.
final class CurlTransfer: Sendable {
  enum Result: Sendable {
    /// There is no curl, or no descriptors are left.
    case notStarted
    case cancelled
    case tooLarge
    /// What it has written to standard output and standard error, and its exit code.
    case ended([UInt8], String, status: Int32)
  }

  private enum State {
    case waiting
    case running(ChildProcess)
    /// It has ended, or is about to of itself: its number may soon be another process's.
    case ended
    case cancelled
  }

  private let state = NIOLockedValueBox(State.waiting)

  /// Ends the run, now or as soon as it begins.
  func cancel() {
    state.withLockedValue { state in
      switch state {
      case .waiting: state = .cancelled
      case .running(let child):
        child.send(SIGKILL)
        state = .cancelled
      case .ended, .cancelled: break
      }
    }
  }

  /// Runs curl to its end. Blocks.
  ///
  /// - Parameters:
  ///   - configuration: Its options, as its configuration files have them.
  ///   - maximumBytes: How much of its output is read before it is ended.
  func run(configuration: String, maximumBytes: Int) -> Result {
    guard let input = PipeEnds() else { return .notStarted }
    defer { close(input.reading) }
    guard let output = PipeEnds() else {
      close(input.writing)
      return .notStarted
    }
    defer { close(output.reading) }
    guard let error = PipeEnds() else {
      close(input.writing)
      close(output.writing)
      return .notStarted
    }
    defer { close(error.reading) }
    let child = start(input, output, error)
    close(output.writing)
    close(error.writing)
    // This process still has the reading end, so that writing fails in no case and raises no signal.
    if child != nil { FileText.send(Array(configuration.utf8), to: input.writing) }
    close(input.writing)
    guard let child else { return isCancelled ? .cancelled : .notStarted }
    let bytes = FileText.contents(from: output.reading, maximumBytes: maximumBytes)
    if bytes == nil { child.send(SIGKILL) }
    let message = FileText.contents(from: error.reading) ?? []
    let wasCancelled = isCancelled
    state.withLockedValue { $0 = .ended }
    let status = child.wait()
    if wasCancelled { return .cancelled }
    guard let bytes else { return .tooLarge }
    return .ended(bytes, String(decoding: message, as: UTF8.self), status: status)
  }

  private func start(_ input: PipeEnds, _ output: PipeEnds, _ error: PipeEnds) -> ChildProcess? {
    state.withLockedValue { state in
      guard case .waiting = state else { return nil }
      let child = ChildProcess.start(
        // First of all, or what the user's own configuration says about other uses of curl counts, too.
        ["curl", "--disable", "--config", "-"],
        descriptors: [
          STDIN_FILENO: input.reading, STDOUT_FILENO: output.writing, STDERR_FILENO: error.writing,
        ])
      if let child { state = .running(child) }
      return child
    }
  }

  private var isCancelled: Bool {
    state.withLockedValue { state in
      if case .cancelled = state { true } else { false }
    }
  }
}

/// A file with a name of its own that nobody else may read.
struct TemporaryFile {
  let path: String

  /// Writes a file; `nil` when none can be made.
  init?(_ bytes: [UInt8]) {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    // mkstemp(3) puts characters of its own in the place of the last six.
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
