import Foundation
import NIOConcurrencyHelpers

/// The lines that a pipe delivers, as they come.
final class Lines: Sendable {
  private let stream: AsyncStream<String>
  private let seen = NIOLockedValueBox<[String]>([])

  /// Reads a descriptor to its end, and closes it.
  init(_ descriptor: Int32) {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    self.stream = stream
    Thread.detachNewThread {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      var partial = ""
      while case let data = handle.availableData, !data.isEmpty {
        partial += String(decoding: data, as: UTF8.self)
        var lines = partial.split(separator: "\n", omittingEmptySubsequences: false)
        partial = lines.popLast().map(String.init) ?? ""
        for line in lines { continuation.yield(String(line)) }
      }
      continuation.yield(partial)
      continuation.finish()
    }
  }

  /// Waits for a line that holds a text.
  ///
  /// - Throws: ``Command/MissingLine`` with all lines, when the pipe ends first.
  func line(containing text: String) async throws -> String {
    for await line in stream {
      seen.withLockedValue { $0.append(line) }
      if line.contains(text) { return line }
    }
    throw Command.MissingLine(text: text, seen: seen.withLockedValue { $0 })
  }

  /// Waits for the end, and returns all that was not waited for before.
  func rest() async -> String {
    var lines: [String] = []
    for await line in stream { lines.append(line) }
    return lines.joined(separator: "\n")
  }
}
