import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The keys that a person presses in the terminal, one by one and unseen.
final class Keyboard {
  /// How the terminal was before.
  let settings: TerminalSettings
  private let source: any DispatchSourceRead

  /// Takes the keys; `nil` when standard input is no terminal, or belongs to another program.
  ///
  /// - Parameter onKey: Called on a queue of its own for each key.
  init?(onKey: @escaping @Sendable (UInt8) -> Void) {
    // In the background, asking for keys would stop the process.
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(), let settings = TerminalSettings() else {
      return nil
    }
    self.settings = settings
    settings.takeKeys()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keyboard"))
    source.setEventHandler {
      let keys = Self.pressed()
      // A terminal that is gone is always ready to read.
      if keys.isEmpty { source.cancel() }
      keys.forEach(onKey)
    }
    source.resume()
    self.source = source
  }

  deinit {
    source.cancel()
    settings.restore()
  }

  private static func pressed() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(read(STDIN_FILENO, buffer.baseAddress, 64), 0)
    }
  }
}
