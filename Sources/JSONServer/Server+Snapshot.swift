import JSONDatabase
import OrderedJSON

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Server {
  /// Writes the data as it is now to another file, atomically.
  ///
  /// - Returns: The path of the file.
  /// - Throws: ``ServerError`` that names the path.
  @discardableResult
  public func writeSnapshot(to path: String) async throws(ServerError) -> String {
    let text = await engine.database.text
    var bytes = Data()
    text.forEachSlice { bytes.append(contentsOf: $0) }
    do {
      try bytes.write(to: URL(filePath: path), options: .atomic)
      return path
    } catch {
      throw ServerError(.sourceUnreadable, "Cannot write '\(path)': \(error)")
    }
  }
}
