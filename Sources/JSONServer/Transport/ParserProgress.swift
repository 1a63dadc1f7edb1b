import NIOCore

/// What the parser was given, and what has come of it, since it last stood between two requests.
///
/// It does not tell how much it has read. Where the bytes do not show it, because a head came in pieces, a body in
/// chunks, or two requests at once, it may hold a part of the next request; then it is never known to stand between
/// two again, and reads all that the connection brings.
struct ParserProgress {
  private var given = 0
  /// The bytes of the first head that was given; nil when it did not come in one piece.
  private var headBytes: Int?
  private var bodyBytes = 0
  private var hasEnded = false

  /// Whether it stands there again: it has read one request to its end, and was given nothing else.
  var isBetweenRequests: Bool {
    given == 0 || hasEnded && given == headBytes.map { $0 + bodyBytes }
  }

  /// Whether it stands after a request without a body.
  var hasReadHeadAlone: Bool { hasEnded && given == headBytes }

  mutating func give(_ bytes: ByteBuffer) {
    if isBetweenRequests { self = ParserProgress() }
    if given == 0 { headBytes = bytes.endOfHead }
    given += bytes.readableBytes
  }

  mutating func noteBody(_ count: Int) {
    bodyBytes += count
  }

  mutating func noteEnd() {
    hasEnded = true
  }
}

extension ByteBuffer {
  /// The bytes up to the first empty line's end.
  fileprivate var endOfHead: Int? {
    let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    return withUnsafeReadableBytes { bytes in
      bytes.indices.dropFirst(3).first {
        bytes[$0] == lf && bytes[$0 - 1] == cr && bytes[$0 - 2] == lf && bytes[$0 - 3] == cr
      }.map { $0 + 1 }
    }
  }
}
