import Foundation

/// The files under `fixtures/` that the tests read.
enum Fixture {
  private static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "fixtures")

  /// Returns the bytes of a file.
  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: directory.appending(path: path)))
  }

  /// Returns the names of the files in a directory that start with a prefix, sorted; none when there is no directory.
  static func names(in path: String, startingWith prefix: String = "") -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: directory.appending(path: path).path)
    return (names ?? []).filter { $0.hasPrefix(prefix) }.sorted()
  }
}
