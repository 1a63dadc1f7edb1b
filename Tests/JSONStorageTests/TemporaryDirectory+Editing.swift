import Foundation
import TestSupport

/// What a person and an editor do with the file.
extension TemporaryDirectory {
  func write(_ text: String) throws { try write(text, to: "db.json") }

  func text() -> String? { text("db.json") }

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
    guard Shell.run("set -e; \(command)", in: path).isSuccess else { throw ShellFailure(command: command) }
  }
}

struct ShellFailure: Error {
  let command: String
}
