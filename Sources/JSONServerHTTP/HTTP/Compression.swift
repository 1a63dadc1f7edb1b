import CZlib
import HTTPTypes

/// Compresses the bodies of responses for clients that accept it.
package final class Compression {
  /// The smallest body that is compressed.
  static let minimumBytes = 1024
  /// The largest body that is compressed: the event loop waits about ten milliseconds for it, at the higher level some
  /// times longer.
  static let maximumBytes = 1024 * 1024
  /// From 1, fast, to 9, small: the client is mostly on the same machine, and the event loop waits. Files that browsers
  /// keep are asked for once.
  private static let (level, levelOfKept) = (1, 6)

  /// The last `Accept-Encoding`, and the coding of the response: a client sends the same field with every request.
  private var known: (field: String, coding: ContentCoding?) = ("", nil)

  package init() {}

  /// Compresses a response in a coding that the client accepts.
  ///
  /// A complete body from 1 KiB to 1 MiB is compressed, if its type is worth it; every response of such a type has
  /// `Vary`. A part of a file, and a response with `no-transform`, stays as it is.
  package func apply(to response: inout PreparedResponse, for request: Request) {
    let coding =
      request.has(.acceptEncoding)
      ? request.headerFields.joined(.acceptEncoding).flatMap({ preferredCoding(for: $0) }) : nil
    // The common fields have such a type, and `Vary`.
    let isCommon = response.commonFields != nil
    if isCommon, coding == nil { return }
    guard let type = response.headerFields.first(.contentType), Self.isCompressible(type) else { return }
    if !isCommon { response.headerFields.add("Accept-Encoding", toList: .vary) }
    let isKept = response.headerFields.first(.cacheControl)?.hasSuffix("immutable") == true
    guard let coding, request.method != .head, allowsCompression(response),
      let compressed = coding.compress(response.bytes, level: isKept ? Self.levelOfKept : Self.level),
      compressed.count < response.bytes.count
    else { return }
    response.body = .bytes(compressed)
    response.headerFields[.contentEncoding] = coding.rawValue
    response.headerFields[.contentLength] = "\(compressed.count)"
    // A strong tag promises the same bytes, but compression changes them.
    if let tag = response.headerFields[.eTag], !tag.hasPrefix("W/") { response.headerFields[.eTag] = "W/\(tag)" }
  }

  private func preferredCoding(for field: String) -> ContentCoding? {
    if field != known.field { known = (field, ContentCoding.preferred(by: field)) }
    return known.coding
  }

  private func allowsCompression(_ response: PreparedResponse) -> Bool {
    guard Self.minimumBytes...Self.maximumBytes ~= response.bytes.count,
      !response.headerFields.contains(.contentEncoding), !response.headerFields.contains(.contentRange),
      response.status != .noContent, response.status != .notModified
    else { return false }
    let directives = response.headerFields.joined(.cacheControl) ?? ""
    // The usual value, which need not be searched.
    return directives == "no-cache" || !directives.lowercased().contains("no-transform")
  }

  private static func isCompressible(_ field: String) -> Bool {
    // The usual type, which need not be parsed.
    if field.hasPrefix("application/json;") { return true }
    let type = MediaType(field)
    return type.isJSON || type.essence.hasPrefix("text/") || type.essence.hasSuffix("+xml")
      || compressibleTypes.contains(type.essence)
  }

  private static let compressibleTypes: Set<String> = [
    "application/javascript", "application/jsonl", "application/wasm", "application/x-ndjson", "application/xml",
    "application/yaml", "font/otf", "font/ttf", "image/bmp", "image/x-icon",
  ]
}

/// A method of compression.
enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  /// The gzip format (RFC 1952).
  case gzip
  /// The zlib format (RFC 1950), which HTTP calls deflate.
  case deflate

  /// The codings that a request's body may have, as `Accept-Encoding` lists them.
  static let all = allCases.map(\.rawValue).joined(separator: ", ")

  /// Returns the coding in a request's `Content-Encoding`; `nil` for none.
  ///
  /// - Throws: 415 for an unknown coding, and for several.
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

  /// Returns the coding of a response to a client with an `Accept-Encoding` (RFC 9110, section 12.5.3): the one with the
  /// greatest weight, gzip among equal ones; `nil` for none. An entry whose weight is not a number from 0 to 1 is not
  /// accepted.
  fileprivate static func preferred(by field: String) -> ContentCoding? {
    var weights: [String: Double] = [:]
    for entry in field.split(separator: ",") {
      let type = MediaType(String(entry))
      let weight = type.parameters["q"].map { Double($0) ?? 0 } ?? 1
      weights[type.essence] = 0...1 ~= weight ? weight : 0
    }
    var best: (coding: ContentCoding, weight: Double)?
    for coding in allCases {
      let alias = coding == .gzip ? weights["x-gzip"] : nil
      let weight = weights[coding.rawValue] ?? alias ?? weights["*"] ?? 0
      if weight > best?.weight ?? 0 { best = (coding, weight) }
    }
    guard let best, best.weight >= weights["identity"] ?? 0 else { return nil }
    return best.coding
  }

  /// The size of zlib's window, which has the format, too: adding 16 selects gzip.
  fileprivate var windowBits: Int32 { MAX_WBITS + (self == .gzip ? 16 : 0) }

  /// Returns bytes compressed.
  ///
  /// - Parameter level: From 1, fast, to 9, small.
  /// - Returns: `nil`, when zlib has no memory, or for an unknown level.
  func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
    var stream = z_stream()
    let version = zlibVersion()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard let count = UInt32(exactly: bytes.count),
      deflateInit2_(&stream, Int32(level), Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, version, size) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, UInt(count)))
    var isWhole = false
    // zlib's interface is not const-correct: it takes mutable input, which it only reads.
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

/// Unpacks the body of a request step by step, and no further than a body may be long.
///
/// A class, because zlib's stream has to stay where it is.
final class Decompression {
  private static let bytesOfStep = 64 * 1024

  private let coding: ContentCoding
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var output = [UInt8](repeating: 0, count: bytesOfStep)
  /// The number of compressed bytes so far. They have a limit of their own, since some unpack to no bytes.
  private var received = 0
  /// Whether all that came is whole; of gzip, more may follow (RFC 1952, section 2.2).
  private var isWhole = true

  init(_ coding: ContentCoding) {
    self.coding = coding
    stream.initialize(to: z_stream())
    inflateInit2_(stream, coding.windowBits, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
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

extension HTTPFields {
  /// The compression of the body; `nil` for none.
  ///
  /// - Throws: 415 for a coding that is not supported.
  var bodyCoding: ContentCoding? {
    get throws(RequestError) { try joined(.contentEncoding).flatMap(ContentCoding.named) }
  }
}

extension Request {
  /// Unpacks the body, if its `Content-Encoding` says that it is packed.
  ///
  /// - Throws: As ``Decompression/append(_:to:limits:)``, also for a body that is not packed, and 415 for a coding that is
  ///   not supported.
  package mutating func unpackBody(limits: Limits) throws(RequestError) {
    guard bytes.count <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
    guard !bytes.isEmpty, let coding = try headerFields.bodyCoding else { return }
    let decompression = Decompression(coding)
    var unpacked: [UInt8] = []
    try decompression.append(bytes, to: &unpacked, limits: limits)
    try decompression.finish()
    bytes = unpacked
  }
}
