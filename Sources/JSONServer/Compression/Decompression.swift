import CZlib
import HTTPTypes

/// Unpacks the body of a request step by step, and no further than a body may be long.
///
/// A class, because zlib's stream has to stay where it is.
final class Decompression {
  private static let bytesOfStep = 64 * 1024

  private let coding: ContentCoding
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var output = [UInt8](repeating: 0, count: bytesOfStep)
  /// The bytes that came, which are limited, too: some unpack to nothing.
  private var received = 0
  /// Whether all that came is whole; of gzip, more may follow (RFC 1952, section 2.2).
  private var isWhole = true

  init(_ coding: ContentCoding) {
    self.coding = coding
    stream.initialize(to: z_stream())
    // zlib takes the format as part of the window's size: adding 16 selects gzip.
    inflateInit2_(
      stream, MAX_WBITS + (coding == .gzip ? 16 : 0), zlibVersion(), Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Adds what a piece unpacks to.
  ///
  /// - Throws: 413 as soon as the body is larger than it may be, 400 when it is not in its coding.
  func append(_ piece: [UInt8], to body: inout [UInt8], limits: Limits) throws(RequestError) {
    received += piece.count
    guard received <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
    // zlib's interface is not const-correct: it asks for mutable input, which it only reads.
    var input = piece
    var read = 0
    var isFull = false
    while read < input.count || isFull {
      if isWhole { inflateReset(stream) }
      let offered = min(input.count - read, Self.bytesOfStep)
      let result = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
          stream.pointee.next_in = input.baseAddress.map { $0 + read }
          stream.pointee.avail_in = UInt32(offered)
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(output.count)
          return inflate(stream, Z_NO_FLUSH)
        }
      }
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { throw isBroken }
      isWhole = result == Z_STREAM_END
      read += offered - Int(stream.pointee.avail_in)
      isFull = stream.pointee.avail_out == 0 && !isWhole
      let count = output.count - Int(stream.pointee.avail_out)
      guard body.count + count <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
      body += output[..<count]
    }
  }

  /// - Throws: 400, when the body ends before its coding does.
  func finish() throws(RequestError) {
    guard isWhole else { throw isBroken }
  }

  private var isBroken: RequestError {
    RequestError(
      .malformed, "The body is not whole and valid \(coding.rawValue), as its Content-Encoding says; send it again.")
  }
}

extension Request {
  /// Unpacks the body, if its `Content-Encoding` says that it is packed.
  ///
  /// - Throws: As ``Decompression/append(_:to:limits:)``, and 415 for a coding that is not supported.
  mutating func unpackBody(limits: Limits) throws(RequestError) {
    guard !body.isEmpty, let coding = try headerFields.joined(.contentEncoding).flatMap(ContentCoding.named) else {
      return
    }
    let decompression = Decompression(coding)
    var unpacked: [UInt8] = []
    try decompression.append(body, to: &unpacked, limits: limits)
    try decompression.finish()
    body = unpacked
  }
}
