import Dispatch
import Foundation

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
    let seen: [String]
  }

  private static let deadline = DispatchTimeInterval.seconds(30)

  private let process: Process
  private let output: Lines
  private let error: Lines
  private let end: AsyncStream<Int32>

  init(
    _ arguments: [String], in directory: TemporaryDirectory, environment: [String: String] = [:], input: String = ""
  ) throws {
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
    process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""].merging(environment) { $1 }
    let (pipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
    process.standardInput = pipe
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    output = Lines(outputPipe.fileHandleForReading)
    error = Lines(errorPipe.fileHandleForReading)
    let (end, ended) = AsyncStream<Int32>.makeStream()
    self.end = end
    process.terminationHandler = { process in
      ended.yield(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
      ended.finish()
    }
    try process.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    self.process = process
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.deadline) { [weak process] in
      if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
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
  func line(containing text: String) async throws -> String { try await output.line(containing: text) }

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
    kill(process.processIdentifier, signal)
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit code; 128 and the signal's number for the end by a signal.
  func status() async -> Int32 {
    for await status in end { return status }
    return -1
  }

  /// The binary beside the test bundle.
  private static var binary: URL? {
    let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() } + [Bundle.main.bundleURL]
    return bundles.map { $0.appendingPathComponent("swift-json-server") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
