import HTTPTypes

/// Compresses the bodies of responses for clients that accept it.
struct Compression: Sendable {
  /// The fewest bytes that are worth compressing.
  static let minimumBytes = 1024
  /// The most bytes for which the event loop can wait: it compresses them in about ten milliseconds.
  static let maximumBytes = 1024 * 1024

  private let level: Int

  /// Creates a compressor.
  ///
  /// - Parameter level: From 1, fast, to 9, small. Fast is the default: the client is mostly on the same machine, and
  ///   the event loop waits meanwhile.
  init(level: Int = 1) {
    self.level = level
  }

  /// Compresses a response in a coding that the client accepts.
  ///
  /// A body is compressed when it is complete, from 1 KiB to 1 MiB, and of a type that gains by it. `Vary` says so for
  /// every response of such a type. Part of a file, and what says `no-transform`, is left as it is.
  func apply(to response: inout PreparedResponse, for request: Request) {
    // The common fields are of a type that gains, and their `Vary` says so.
    let isCommon = response.commonFields != nil
    if isCommon, !request.has(.acceptEncoding) { return }
    guard let type = response.headerFields.first(.contentType), Self.isCompressible(type) else { return }
    if !isCommon { response.headerFields.add("Accept-Encoding", toList: .vary) }
    guard request.method != .head, allowsCompression(response),
      let coding = request.headerFields.joined(.acceptEncoding).map(AcceptEncoding.init)?.preferred,
      let compressed = coding.compress(response.bytes, level: level), compressed.count < response.bytes.count
    else { return }
    response.body = .bytes(compressed)
    response.headerFields[.contentEncoding] = coding.rawValue
    response.headerFields[.contentLength] = "\(compressed.count)"
    // A strong tag promises the same bytes, which these no longer are.
    if let tag = response.headerFields[.eTag], !tag.hasPrefix("W/") { response.headerFields[.eTag] = "W/\(tag)" }
  }

  private func allowsCompression(_ response: PreparedResponse) -> Bool {
    guard Self.minimumBytes...Self.maximumBytes ~= response.bytes.count,
      !response.headerFields.contains(.contentEncoding), !response.headerFields.contains(.contentRange),
      response.status != .noContent, response.status != .notModified
    else { return false }
    let directives = response.headerFields.joined(.cacheControl) ?? ""
    // The value in nearly all responses, which need not be searched then.
    return directives == "no-cache" || !directives.lowercased().contains("no-transform")
  }

  private static func isCompressible(_ field: String) -> Bool {
    // Nearly all responses; the field need not be parsed for them.
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
