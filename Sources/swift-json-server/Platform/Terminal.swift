import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The terminal that the command was started from.
enum Terminal {
  /// Whether standard output is one.
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is one.
  static var isError: Bool { isatty(STDERR_FILENO) == 1 }

  /// Asks a question that a person at the terminal answers with a line: Return or `y` is yes. Blocks until then.
  ///
  /// - Returns: Whether the answer is yes; `false` where nobody can be asked.
  static func confirms(_ question: String) -> Bool {
    guard isatty(STDIN_FILENO) == 1, isError else { return false }
    FileText.send(Array("\(question) [Y/n] ".utf8), to: STDERR_FILENO)
    return readLine().map { ["", "y", "yes"].contains($0.lowercased()) } ?? false
  }

  /// Goes back to the start of the line and clears it.
  static let lineClearing = "\r\u{1B}[K"

  /// Clears the screen and what was scrolled away.
  static let clearing = "\u{1B}[2J\u{1B}[3J\u{1B}[H"
}

/// How the terminal treats what is typed.
struct TerminalSettings: Sendable {
  private let settings: termios

  /// Records the settings as they are; `nil` when there is no terminal.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    self.settings = settings
  }

  /// Lets keys arrive one by one and unseen; Control-C still interrupts.
  func takeKeys() {
    var keys = settings
    keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &keys)
  }

  /// Gives the terminal back as it was.
  func restore() {
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }
}

/// The keys that a person presses in the terminal, one by one and unseen.
final class Keyboard {
  /// How the terminal was before.
  let settings: TerminalSettings
  private let reader: InputReader

  /// Takes the keys; `nil` when standard input is no terminal, or belongs to another program.
  ///
  /// - Parameter onKey: Called on a queue of its own for each key.
  init?(onKey: @escaping @Sendable (UInt8) -> Void) {
    // In the background, asking for keys would stop the process.
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(), let settings = TerminalSettings(),
      let reader = InputReader(onInput: { keys in
        keys.forEach(onKey)
        keys = []
      })
    else { return nil }
    self.settings = settings
    self.reader = reader
    settings.takeKeys()
  }

  deinit {
    settings.restore()
  }
}

/// Reads an input on a queue of its own, until its end or until nobody has the reader any more.
///
/// Not by a dispatch source: on Linux one whose pipe has ended already can end the process, when it is cancelled while
/// Dispatch's own thread is told of the end once more.
final class InputReader {
  /// Ends the reading when it is closed.
  private let end: Int32

  /// Begins to read; `nil` when the process has no descriptors left.
  ///
  /// - Parameters:
  ///   - descriptor: The input. It stays open.
  ///   - onInput: Called on the queue each time more was read. It removes what it understood; the rest comes again with
  ///     the next.
  init?(of descriptor: Int32 = STDIN_FILENO, onInput: @escaping @Sendable (inout [UInt8]) -> Void) {
    guard let ends = PipeEnds() else { return nil }
    end = ends.writing
    DispatchQueue(label: "input").async {
      defer { close(ends.reading) }
      var input: [UInt8] = []
      while Self.wait(for: descriptor, until: ends.reading) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
          count = max(read(descriptor, buffer.baseAddress, 4096), 0)
        }
        if bytes.isEmpty { return }
        input += bytes
        onInput(&input)
      }
    }
  }

  deinit {
    close(end)
  }

  /// Waits until there is something to read, or the input has ended. Blocks.
  ///
  /// - Parameter end: A pipe whose other end is closed when nobody wants the input any more.
  /// - Returns: Whether somebody does.
  private static func wait(for descriptor: Int32, until end: Int32) -> Bool {
    var files = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&files, nfds_t(files.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return files[1].revents == 0
  }
}

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
