/// A key that does something while the server runs.
enum Key: UInt8, CaseIterable {
  case help = 0x68
  case reload = 0x72
  case urls = 0x75
  case snapshot = 0x73
  case clear = 0x63
  case quit = 0x71

  private var meaning: String {
    switch self {
    case .help: "show this help"
    case .reload: "read the source, the rules and the settings again"
    case .urls: "show the URLs"
    case .snapshot: "save a snapshot of the data"
    case .clear: "clear the screen"
    case .quit: "quit"
    }
  }

  /// What each key does.
  static func help(_ style: LogStyle) -> String {
    let lines = allCases.map { key in
      "  press \(style(.bold, String(Unicode.Scalar(key.rawValue)))) to \(key.meaning)"
    }
    return "\n" + lines.joined(separator: "\n") + "\n"
  }
}
