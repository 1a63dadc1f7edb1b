import HTTPTypes
import NIOConcurrencyHelpers

/// The responses for one file.
struct FileResponse {
  private let size: Int
  /// The fields of all responses.
  private let fields: HTTPFields
  private let entityTag: String
  /// The time of the last change; `nil` when it is unknown.
  private let lastModified: HTTPDate?
  /// Reads a part of the file.
  private let content: @Sendable (Range<Int>) -> Response.Content

  /// Prepares the responses of a file.
  ///
  /// - Parameter name: The file's name, whose extension determines the type.
  init(_ file: OpenFile, name: String) {
    let lastModified = HTTPDate(secondsSince1970: file.modified / 1000)
    size = file.size
    entityTag = "W/\"\(String(file.size, radix: 16))-\(String(file.modified, radix: 16))\""
    self.lastModified = lastModified
    fields = [
      .acceptRanges: "bytes", .cacheControl: "public, max-age=0", .lastModified: lastModified.text,
      .eTag: entityTag, .contentType: FileType.contentType(ofFileNamed: name),
    ]
    content = { range in
      range.count > StaticFiles.maximumBytesAtOnce
        ? file.stream(range) : .bytes(file.read(from: range.lowerBound, count: range.count))
    }
  }

  /// Prepares the responses of a record's file.
  init(_ file: FileRecord) {
    size = file.bytes.count
    // The bytes are sent as they are, so that a download may go on with the rest of them.
    entityTag = String(EntityTag(of: file.bytes).fieldValue.dropFirst(2))
    lastModified = nil
    fields = [
      .acceptRanges: "bytes", .cacheControl: "no-cache", .eTag: entityTag, .contentType: file.type,
      // An image may hold a script.
      .contentSecurityPolicy: "sandbox",
    ]
    content = { .bytes(Array(file.bytes[$0])) }
  }

  /// The response to a GET or HEAD: 200, 206, 304 or 416.
  func response(to request: Request) -> Response {
    var fields = fields
    guard !isUnchanged(for: request.headerFields) else { return Response(status: .notModified, headerFields: fields) }
    fields[.xContentTypeOptions] = "nosniff"
    switch requestedRange(of: request) {
    case .whole:
      return response(.ok, fields, 0..<size, to: request)
    case .part(let range):
      fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
      return response(.partialContent, fields, range, to: request)
    case .unsatisfiable:
      return Response(status: .rangeNotSatisfiable, headerFields: [.contentRange: "bytes */\(size)"])
    }
  }

  /// Whether the client has this version (RFC 9110, section 13.2.2: a tag takes precedence over a date).
  private func isUnchanged(for fields: HTTPFields) -> Bool {
    if let tags = fields[.ifNoneMatch] {
      return EntityTagList(tags).names(entityTag)
    }
    guard let lastModified, let since = fields[.ifModifiedSince].flatMap(HTTPDate.init(text:)) else { return false }
    return lastModified.secondsSince1970 <= since.secondsSince1970
  }

  /// The range in a GET. A range that depends on a weak tag is ignored (RFC 9110, section 13.1.5).
  private func requestedRange(of request: Request) -> ByteRange {
    guard request.method == .get, let range = request.headerFields[.range] else { return .whole }
    if let condition = request.headerFields[.ifRange] {
      let isTag = condition == entityTag && !condition.hasPrefix("W/")
      guard isTag || lastModified != nil && HTTPDate(text: condition) == lastModified else { return .whole }
    }
    return ByteRange(range, size: size)
  }

  private func response(
    _ status: HTTPResponse.Status, _ fields: HTTPFields, _ range: Range<Int>, to request: Request
  ) -> Response {
    var fields = fields
    fields[.contentLength] = "\(range.count)"
    guard request.method == .get else { return Response(status: status, headerFields: fields) }
    let content = content(range)
    // The file may have become shorter.
    if case .bytes(let bytes) = content { fields[.contentLength] = "\(bytes.count)" }
    return Response(status: status, headerFields: fields, body: content)
  }
}

/// The part of a file that a `Range` field requests (RFC 9110, section 14.2).
private enum ByteRange: Hashable {
  /// The whole file, also for a malformed field and for several ranges, as the RFC allows.
  case whole
  /// Some bytes, at least one.
  case part(Range<Int>)
  /// Bytes that the file does not have.
  case unsatisfiable

  /// Reads a field for a file of a given size.
  init(_ field: String, size: Int) {
    self = .whole
    let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return }
    let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy(ByteSet.digits.contains) }) else { return }
    switch (bounds[0].isEmpty, bounds[1].isEmpty) {
    case (true, true): return
    case (true, false):
      let count = min(Int(bounds[1]) ?? Int.max, size)
      self = count > 0 ? .part((size - count)..<size) : .unsatisfiable
    case (false, let isOpen):
      let first = Int(bounds[0]) ?? Int.max
      let last = isOpen ? Int.max : Int(bounds[1]) ?? Int.max
      guard first <= last else { return }
      self = first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
    }
  }
}

extension OpenFile {
  /// A part of the file that is read piece by piece, as fast as its client reads. The pieces have fewer bytes than the
  /// range if the file becomes shorter meanwhile.
  fileprivate func stream(_ range: Range<Int>) -> Response.Content {
    let position = NIOLockedValueBox(range.lowerBound)
    let pieces = AsyncStream { () -> [UInt8]? in
      let start = position.withLockedValue { position in
        defer { position = min(position + StaticFiles.maximumBytesAtOnce, range.upperBound) }
        return position
      }
      let bytes = self.read(from: start, count: min(StaticFiles.maximumBytesAtOnce, range.upperBound - start))
      return bytes.isEmpty ? nil : bytes
    }
    return .stream(pieces, length: range.count)
  }
}

/// Content types by file extension.
package enum FileType {
  /// The type of a file, with the charset of text; `application/octet-stream` for an unknown extension.
  package static func contentType(ofFileNamed name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return types[name[dot...].dropFirst().lowercased()] ?? "application/octet-stream"
  }

  private static let types = [
    "aac": "audio/aac",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "css": "text/css; charset=UTF-8",
    "csv": "text/csv; charset=UTF-8",
    "eot": "application/vnd.ms-fontobject",
    "gif": "image/gif",
    "gz": "application/gzip",
    "heic": "image/heic",
    "htm": "text/html; charset=UTF-8",
    "html": "text/html; charset=UTF-8",
    "ico": "image/x-icon",
    "ics": "text/calendar; charset=UTF-8",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript; charset=UTF-8",
    "json": "application/json; charset=UTF-8",
    "jsonl": "application/jsonl; charset=UTF-8",
    "m3u8": "application/vnd.apple.mpegurl",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "map": "application/json; charset=UTF-8",
    "markdown": "text/markdown; charset=UTF-8",
    "md": "text/markdown; charset=UTF-8",
    "mjs": "text/javascript; charset=UTF-8",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "otf": "font/otf",
    "pdf": "application/pdf",
    "plist": "application/xml; charset=UTF-8",
    "png": "image/png",
    "svg": "image/svg+xml; charset=UTF-8",
    "tar": "application/x-tar",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "ts": "video/mp2t",
    "ttf": "font/ttf",
    "txt": "text/plain; charset=UTF-8",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webmanifest": "application/manifest+json; charset=UTF-8",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xhtml": "application/xhtml+xml; charset=UTF-8",
    "xml": "application/xml; charset=UTF-8",
    "yaml": "application/yaml; charset=UTF-8",
    "yml": "application/yaml; charset=UTF-8",
    "zip": "application/zip",
  ]
}
