import Foundation

/// A fresh directory that goes with the test.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("storage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    // As the store does: on macOS, Foundation would leave "/private" out.
    guard let resolved = realpath(url.path, nil) else { throw CocoaError(.fileNoSuchFile) }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file from its start, as `>` does in a shell.
  func write(_ text: String, to name: String = "db.json") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  func text(_ name: String = "db.json") -> String? {
    (try? Data(contentsOf: URL(fileURLWithPath: path(name)))).map { String(decoding: $0, as: UTF8.self) }
  }

  /// All names, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func names(in directory: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(directory))) ?? []).sorted()
  }

  /// The texts of all files, also of those in directories below.
  var texts: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).compactMap { text($0) }
  }

  /// Saves a file as an editor does that writes a new one and renames it.
  func save(_ text: String, over name: String = "db.json") throws {
    try write(text, to: "\(name)~")
    guard rename(path("\(name)~"), path(name)) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Runs a shell command in the directory, as a person would.
  func shell(_ command: String) throws {
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "set -e; cd '\(path)'; \(command)"]
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw ShellFailure(command: command) }
  }

  struct ShellFailure: Error {
    let command: String
  }
}
