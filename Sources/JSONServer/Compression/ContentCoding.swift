import CZlib

/// A way in which a body is compressed.
enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  /// The gzip format (RFC 1952).
  case gzip
  /// The zlib format (RFC 1950), which HTTP calls deflate.
  case deflate

  /// The codings that a request's body may have, as `Accept-Encoding` lists them.
  static let all = allCases.map(\.rawValue).joined(separator: ", ")

  /// Returns the coding that a request's `Content-Encoding` names; `nil` for none.
  ///
  /// - Throws: 415 for another one, and for several.
  static func named(_ field: String) throws(RequestError) -> ContentCoding? {
    switch field.lowercased() {
    case "identity": return nil
    case "gzip", "x-gzip": return .gzip
    case "deflate": return .deflate
    default:
      throw RequestError(
        .unsupportedCoding,
        "Content-Encoding '\(field)' is not supported; send the body in one of \(all), or as it is.")
    }
  }

  /// Returns bytes compressed.
  ///
  /// - Parameter level: From 1, fast, to 9, small.
  /// - Returns: `nil`, when zlib has no memory or there is no such level.
  func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
    var stream = z_stream()
    // zlib takes the format as part of the window's size: adding 16 selects gzip.
    let windowBits = MAX_WBITS + (self == .gzip ? 16 : 0)
    let version = zlibVersion()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard let count = UInt32(exactly: bytes.count),
      deflateInit2_(&stream, Int32(level), Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, version, size) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, UInt(count)))
    var isWhole = false
    // zlib's interface is not const-correct: it asks for mutable input, which it only reads.
    var input = bytes
    let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, initialized in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = count
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(clamping: bound)
        isWhole = CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
        initialized = Int(stream.total_out)
      }
    }
    return isWhole ? output : nil
  }
}
