import Foundation

/// Runs a test with the path of a directory of its own, and removes it.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  try await body(directory.path())
}

/// The bytes of a file.
func contents(of path: String) throws -> Data {
  try Data(contentsOf: URL(filePath: path))
}
