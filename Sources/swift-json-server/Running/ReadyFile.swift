import JSONServer
import JSONServerValues

/// The file that exists while a server responds, with the server's address.
struct ReadyFile {
  private let path: String
  private var text: [UInt8] = []

  /// - Returns: `nil` without `--ready-file`.
  init?(_ effective: EffectiveOptions) {
    guard let path = effective.options.running.readyFile else { return nil }
    self.path = path
  }

  /// Removes the file of a killed server, which would say that this one responds.
  ///
  /// - Throws: ``CommandFailure`` when the path leads to something else.
  func removeOld() throws(CommandFailure) {
    try check()
    FileText.remove(path)
  }

  /// Writes the file.
  ///
  /// - Throws: ``CommandFailure`` when that fails: a program that waits for the file would wait forever.
  mutating func write(_ server: Server) throws(CommandFailure) {
    try check()
    let value: JSONValue = [
      "url": .string(server.url), "port": .number(JSONNumber(server.port)),
      "pid": .number(JSONNumber(ProcessInfo.processInfo.processIdentifier)),
    ]
    text = Array((value.text() + "\n").utf8)
    do throws(CommandFailure) {
      try FileText.save(text, to: path)
    } catch {
      throw CommandFailure(.cannotCreate, "--ready-file: \(error.message)")
    }
  }

  /// Removes the file, unless another server has written its own.
  func remove() {
    if FileText.contents(of: path) == text { FileText.remove(path) }
  }

  /// - Throws: ``CommandFailure`` unless the file is missing, empty or a ready file.
  func check() throws(CommandFailure) {
    switch FileKind(of: path) {
    case .missing: return
    case .file, .executable:
      guard let text = FileText.contents(of: path) else { break }
      let members = (try? JSONValue(parsing: text))?.object?.map(\.name)
      if text.isEmpty || members == ["url", "port", "pid"] { return }
    case .directory, .other: break
    }
    throw CommandFailure(.usage, "--ready-file: '\(path)' exists and is no ready file; name another file.")
  }
}
