import JSONDatabase

/// The body of a response that is too large to be made or sent as a whole: its connection takes it slice by slice.
///
/// What is made of the data shows one version of it, which lives as long as the body.
final class SlicedBody: Sendable {
  let text: SlicedText

  init(_ text: SlicedText) {
    self.text = text
  }

  /// All bytes. O(size), in time and memory.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(estimatedByteCount + estimatedByteCount / 16)
    text.append(to: &bytes)
    return bytes
  }

  /// About the number of bytes, by some records of each list. O(number of lists).
  var estimatedByteCount: Int { text.estimatedByteCount }
}
