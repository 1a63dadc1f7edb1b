import Dispatch
import NIOConcurrencyHelpers

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The lines that a program writes to the server's standard input.
final class InputPipe {
  /// The most bytes of a line that are kept: no line that means anything is longer.
  private static let maximumLength = 64

  private let source: any DispatchSourceRead

  /// Takes the lines; `nil` when standard input is no pipe.
  ///
  /// - Parameter onLine: Called on a queue of its own for each line, without the white space around it.
  init?(onLine: @escaping @Sendable (String) -> Void) {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "input"))
    let rest = NIOLockedValueBox<[UInt8]>([])
    source.setEventHandler {
      let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        count = max(read(STDIN_FILENO, buffer.baseAddress, 4096), 0)
      }
      let lines = rest.withLockedValue { rest in
        var lines = (rest + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array((lines.popLast() ?? []).prefix(Self.maximumLength))
        return lines.map { String(decoding: $0, as: UTF8.self) }
      }
      // A pipe that has ended is always ready to read.
      if bytes.isEmpty { source.cancel() }
      for line in lines { onLine(line.filter { !$0.isWhitespace }) }
    }
    source.resume()
    self.source = source
  }

  deinit {
    source.cancel()
  }
}
