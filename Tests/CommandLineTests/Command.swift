import Dispatch
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import swift_json_server

/// A run of the built binary in a directory of its own.
///
/// It is killed after ``deadline``, so that a test that waits for a line which never comes fails instead of hanging.
final class Command: Sendable {
  /// What a finished run has printed, and how it ended.
  struct Result {
    let output: String
    let error: String
    let status: Int32
  }

  /// A line did not come.
  struct MissingLine: Error {
    let text: String
    var seen: [String]
  }

  private static let deadline = DispatchTimeInterval.seconds(600)

  private static let starting = NIOLock()

  private let process: ChildProcess
  private let output: Lines
  private let error: Lines
  private let end: AsyncStream<Int32>
  private let life = Life()

  /// Runs a program in a terminal, which is all three of its streams.
  ///
  /// A Mac's terminal ends with an empty read, after which Apple's Python 3.9 waits for ever; Linux's ends with an error.
  private static let terminal = [
    "python3", "-c",
    """
    import os, pty, sys
    def read(terminal):
        data = os.read(terminal, 1024)
        if not data: raise OSError
        return data
    sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))
    """,
  ]

  /// Starts the binary.
  ///
  /// - Parameter isInTerminal: Whether the input is typed at a terminal, to which output and errors go, too.
  init(
    _ arguments: [String], in directory: TemporaryDirectory, environment: [String: String] = [:], input: String = "",
    isInTerminal: Bool = false
  ) throws {
    let input = Array(input.utf8)
    let command =
      ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory.path] + (isInTerminal ? Self.terminal : [])
      + [try #require(Self.binary)] + arguments
    // A pipe that another run inherits would not end with this one.
    let (process, pipes) = try Self.starting.withLock {
      let pipes = try (0...2).map { _ in try #require(PipeEnds()) }
      let inherited = [pipes[0].reading, pipes[1].writing, pipes[2].writing]
      defer { for end in inherited { close(end) } }
      let descriptors: [Int32: Int32] = [0: inherited[0], 1: inherited[1], 2: inherited[2]]
      return (try #require(ChildProcess.start(command, variables: environment, descriptors: descriptors)), pipes)
    }
    FileText.send(input, to: pipes[0].writing)
    close(pipes[0].writing)
    output = Lines(pipes[1].reading)
    error = Lines(pipes[2].reading)
    let (end, ended) = AsyncStream<Int32>.makeStream()
    self.process = process
    self.end = end
    let life = life
    process.onEnd { status in
      life.end()
      ended.yield(status)
      ended.finish()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.deadline) { life.send(SIGKILL, to: process) }
  }

  deinit {
    life.send(SIGKILL, to: process)
  }

  /// Runs the binary to its end.
  static func run(
    _ arguments: [String], in directory: TemporaryDirectory, environment: [String: String] = [:], input: String = ""
  ) async throws -> Result {
    let command = try Command(arguments, in: directory, environment: environment, input: input)
    return Result(
      output: await command.output.rest(), error: await command.error.rest(), status: await command.status())
  }

  /// Waits for a line of standard output.
  ///
  /// - Throws: ``MissingLine`` with what was printed until the end.
  func line(containing text: String) async throws -> String {
    do {
      return try await output.line(containing: text)
    } catch var missing as MissingLine {
      missing.seen += [await error.rest(), "status \(await status())"]
      throw missing
    }
  }

  /// Waits for a line of standard error.
  func errorLine(containing text: String) async throws -> String { try await error.line(containing: text) }

  /// Waits for the address that a server prints.
  func url() async throws -> URL {
    let line = try await line(containing: "Listening on ")
    let address = line.split(separator: " ").first { $0.contains(":") }.map(String.init) ?? ""
    guard let url = URL(string: "http://\(address)") else { throw MissingLine(text: "an address", seen: [line]) }
    return url
  }

  func send(_ signal: Int32) {
    life.send(signal, to: process)
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit code; 128 and the signal's number for the end by a signal.
  func status() async -> Int32 {
    for await status in end { return status }
    return -1
  }

  /// The binary beside the test bundle, which on macOS a tool of Xcode's has loaded and on Linux is the program itself.
  static var binary: String? {
    let bundle = Bundle(for: Life.self)
    return [bundle.bundleURL.deletingLastPathComponent(), bundle.bundleURL, Bundle.main.bundleURL]
      .map { $0.appendingPathComponent("swift-json-server").path }
      .first(where: FileManager.default.isExecutableFile)
  }
}

/// Whether a process still runs: the number of one that has ended may be another's.
private final class Life: Sendable {
  private let hasEnded = NIOLockedValueBox(false)

  func end() {
    hasEnded.withLockedValue { $0 = true }
  }

  func send(_ signal: Int32, to process: ChildProcess) {
    hasEnded.withLockedValue { if !$0 { process.send(signal) } }
  }
}
