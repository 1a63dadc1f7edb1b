import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The terminal of the command.
enum Terminal {
  /// Whether standard output is a terminal.
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is a terminal.
  static var isError: Bool { isatty(STDERR_FILENO) == 1 }

  /// Asks the user a question at the terminal: Return or `y` is yes. Blocks until the answer.
  ///
  /// - Returns: Whether the answer is yes; `false` without a terminal.
  static func confirms(_ question: String) -> Bool {
    guard isatty(STDIN_FILENO) == 1, isError else { return false }
    FileText.send(Array("\(question) [Y/n] ".utf8), to: STDERR_FILENO)
    return readLine().map { ["", "y", "yes"].contains($0.lowercased()) } ?? false
  }

  /// Moves to the start of the line and clears it.
  static let lineClearing = "\r\u{1B}[K"

  /// Clears the screen and the text above it.
  static let clearing = "\u{1B}[2J\u{1B}[3J\u{1B}[H"
}

/// The keys that the user presses, one by one and without showing them; Control-C still interrupts.
final class Keyboard: Sendable {
  /// The settings of the terminal before.
  private let settings: termios
  private let reader: InputReader

  /// Starts to read keys; `nil` when standard input is not a terminal, or belongs to another program.
  ///
  /// - Parameter onKey: Called for each key, on a queue of its own.
  init?(onKey: @escaping @Sendable (UInt8) -> Void) {
    var settings = termios()
    // In the background, reading keys would stop the process.
    guard tcgetattr(STDIN_FILENO, &settings) == 0, tcgetpgrp(STDIN_FILENO) == getpgrp(),
      let reader = InputReader(onInput: { keys in
        keys.forEach(onKey)
        keys = []
      })
    else { return nil }
    (self.settings, self.reader) = (settings, reader)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Restores the settings of the terminal.
  func restore() {
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  deinit { restore() }
}

/// Reads an input on a queue of its own, until the input ends or the reader is released.
///
/// A dispatch source is not used: on Linux, canceling a source whose pipe has ended can crash the process, when
/// Dispatch's own thread hears of the end once more.
final class InputReader: Sendable {
  /// Closing this descriptor ends the reading.
  private let end: Int32

  /// Starts to read; `nil` when the process has no descriptors left.
  ///
  /// - Parameters:
  ///   - descriptor: The input. It stays open.
  ///   - onInput: Called on the queue after each read. It removes the bytes that it has used; the others are passed
  ///     again with the next ones.
  init?(of descriptor: Int32 = STDIN_FILENO, onInput: @escaping @Sendable (inout [UInt8]) -> Void) {
    guard let ends = PipeEnds() else { return nil }
    end = ends.writing
    DispatchQueue(label: "input").async {
      defer { close(ends.reading) }
      var input: [UInt8] = []
      while Self.wait(for: descriptor, until: ends.reading) {
        let bytes = FileText.piece(from: descriptor) ?? []
        if bytes.isEmpty { return }
        input += bytes
        onInput(&input)
      }
    }
  }

  deinit {
    close(end)
  }

  /// Waits for input, or for its end. Blocks.
  ///
  /// - Parameter end: A pipe whose other end is closed when the reader is released.
  /// - Returns: Whether the reader still exists.
  private static func wait(for descriptor: Int32, until end: Int32) -> Bool {
    var files = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&files, nfds_t(files.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return files[1].revents == 0
  }
}

extension InputReader {
  /// The largest number of bytes of a line; all known lines are shorter.
  private static let maximumLength = 64

  /// Reads the lines that another program writes to standard input; `nil` when that is not a pipe.
  ///
  /// - Parameter onLine: Called for each line, without white space around it, on a queue of its own.
  convenience init?(onLine: @escaping @Sendable (String) -> Void) {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return nil }
    self.init(of: STDIN_FILENO) { input in
      var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      input = Array((lines.popLast() ?? []).prefix(Self.maximumLength))
      for line in lines { onLine(String(decoding: line, as: UTF8.self).filter { !$0.isWhitespace }) }
    }
  }
}
