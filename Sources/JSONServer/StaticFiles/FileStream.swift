import NIOConcurrencyHelpers

/// A part of a file that is read piece by piece, as fast as its client takes it.
final class FileStream: Sendable {
  private static let bytesOfChunk = 64 * 1024

  private let file: OpenFile
  private let end: Int
  private let length: Int
  private let position: NIOLockedValueBox<Int>

  init(_ file: OpenFile, _ range: Range<Int>) {
    self.file = file
    end = range.upperBound
    length = range.count
    position = NIOLockedValueBox(range.lowerBound)
  }

  /// The pieces in order; fewer bytes than the length says when the file became shorter meanwhile.
  var body: Response.Body {
    .stream(AsyncStream { self.nextChunk() }, length: length)
  }

  private func nextChunk() -> [UInt8]? {
    let range = position.withLockedValue { position in
      let start = position
      position = min(start + Self.bytesOfChunk, end)
      return start..<position
    }
    guard !range.isEmpty else { return nil }
    let bytes = file.read(from: range.lowerBound, count: range.count)
    return bytes.isEmpty ? nil : bytes
  }
}
