#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The lines of a program that writes to standard input.
final class InputPipe {
  /// The most bytes of a line that are kept: no line that means anything is longer.
  private static let maximumLength = 64

  private let reader: InputReader

  /// Takes the lines; `nil` when standard input is no pipe.
  ///
  /// - Parameter onLine: Called on a queue of its own for each line, without the white space around it.
  init?(onLine: @escaping @Sendable (String) -> Void) {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return nil }
    let reader = InputReader { input in
      var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      input = Array((lines.popLast() ?? []).prefix(Self.maximumLength))
      for line in lines { onLine(String(decoding: line, as: UTF8.self).filter { !$0.isWhitespace }) }
    }
    guard let reader else { return nil }
    self.reader = reader
  }
}
