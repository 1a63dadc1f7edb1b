import JSONDatabase

/// The body of a response that is too large to be made or sent as a whole: its connection takes it slice by slice.
///
/// What is made of the data shows one version of it, which lives as long as the body.
final class SlicedBody: Sendable {
  let text: SlicedText
  /// Whether it is a script, in which some characters are escaped that JSON may hold.
  let isScript: Bool

  init(_ text: SlicedText) {
    self.text = text
    isScript = false
  }

  init(script segments: [SlicedText.Segment]) {
    text = SlicedText(segments)
    isScript = true
  }

  /// All bytes. O(size), in time and memory.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(estimatedByteCount + estimatedByteCount / 16)
    text.append(to: &bytes)
    return isScript ? JSONP.escaped(bytes) : bytes
  }

  /// About the number of bytes, by some records of each list. O(number of lists).
  var estimatedByteCount: Int { text.estimatedByteCount }
}
