import CZlib
import HTTPTypes
import Testing

@testable import JSONServerHTTP

@Suite struct Compressing {
  private static let text = Array(String(repeating: "{\"title\": \"Hello\"}\n", count: 200).utf8)

  private func compressed(
    _ fields: HTTPFields, accepting encodings: String? = "gzip", method: HTTPRequest.Method = .get,
    status: HTTPResponse.Status = .ok, body: Response.Content = .bytes(text)
  ) -> PreparedResponse {
    var requestFields = HTTPFields()
    requestFields[.acceptEncoding] = encodings
    let request = Request(method: method, target: "/posts", headerFields: requestFields)
    var response = PreparedResponse(status: status, headerFields: fields, body: body)
    Compression().apply(to: &response, for: request)
    return response
  }

  /// Expands gzip or zlib bytes; `nil` when they are broken.
  private func expanded(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, MAX_WBITS + 32, zlibVersion(), size) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var isWhole = false
    let output = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, initialized in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(buffer.count)
        isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
        initialized = Int(stream.total_out)
      }
    }
    return isWhole ? output : nil
  }

  @Test(arguments: ["gzip", "deflate"])
  func `A compressed body expands to what it was`(coding: String) {
    let response = compressed([.contentType: "application/json", .contentLength: "3800"], accepting: coding)
    #expect(response.headerFields[.contentEncoding] == coding)
    #expect(response.headerFields[.contentLength] == "\(response.bytes.count)")
    #expect(response.bytes.count < Self.text.count / 10)
    #expect(expanded(response.bytes) == Self.text)
    #expect(response.bytes.starts(with: coding == "gzip" ? [0x1F, 0x8B] : [0x78]))
  }

  @Test(arguments: [
    ("gzip", "gzip"), ("GZIP", "gzip"), ("x-gzip", "gzip"), ("deflate", "deflate"), ("gzip, deflate, br", "gzip"),
    ("deflate, gzip", "gzip"), ("gzip;q=0.5, deflate;q=0.8", "deflate"), ("*", "gzip"), ("gzip;q=0, *", "deflate"),
    ("br;q=1, gzip ; Q=0.1", "gzip"), ("gzip;q=1.000", "gzip"), ("identity;q=0, gzip;q=0.1", "gzip"),
    (nil, nil), ("", nil), ("br", nil), ("gzip;q=0", nil), ("gzip;q=0.000", nil), ("identity", nil), ("*;q=0", nil),
    ("identity, gzip;q=0.5", nil), ("gzip;q=2", nil), ("gzip;q=x", nil), ("gzipped", nil),
  ])
  func `The coding with the greatest weight is used`(accepted: String?, coding: String?) {
    let response = compressed([.contentType: "application/json"], accepting: accepted)
    #expect(response.headerFields[.contentEncoding] == coding)
    #expect(response.headerFields[.vary] == "Accept-Encoding")
  }

  @Test(arguments: [
    ("application/json; charset=utf-8", true), ("application/problem+json", true), ("text/html", true),
    ("image/svg+xml", true), ("text/javascript", true), ("image/png", false), ("application/zip", false),
    ("font/woff2", false), ("application/octet-stream", false),
  ])
  func `Only what gains by it is compressed`(type: String, isCompressed: Bool) {
    let response = compressed([.contentType: type])
    #expect((response.headerFields[.contentEncoding] != nil) == isCompressed)
    #expect((response.headerFields[.vary] != nil) == isCompressed)
  }

  @Test func `What must stay as it is does`() {
    let json: HTTPFields = [.contentType: "application/json"]
    let range: HTTPFields = [.contentType: "text/plain", .contentRange: "bytes 0-3799/9000"]
    let encoded: HTTPFields = [.contentType: "text/plain", .contentEncoding: "br"]
    let fixed: HTTPFields = [.contentType: "text/plain", .cacheControl: "public, no-transform"]
    let responses = [
      compressed(json, method: .head), compressed(json, status: .noContent), compressed(json, status: .notModified),
      compressed(json, body: .bytes(Array(Self.text.prefix(1023)))), compressed(range, status: .partialContent),
      compressed(encoded), compressed(fixed),
      compressed(json, body: .stream(AsyncStream { $0.finish() })),
    ]
    for response in responses { #expect(response.headerFields[.contentEncoding] != "gzip") }
    #expect(compressed(json, body: .bytes(Array(Self.text.prefix(1024)))).headerFields[.contentEncoding] == "gzip")
  }

  @Test func `A body for which all others would have to wait stays as it is`() {
    let json: HTTPFields = [.contentType: "application/json"]
    for (count, isCompressed) in [(Compression.maximumBytes, true), (Compression.maximumBytes + 1, false)] {
      let response = compressed(json, body: .bytes([UInt8](repeating: 0x20, count: count)))
      #expect((response.headerFields[.contentEncoding] != nil) == isCompressed)
      #expect(response.headerFields[.vary] == "Accept-Encoding")
    }
  }

  @Test func `A tag becomes weak, and Vary keeps what it had`() {
    let strong = compressed([.contentType: "text/plain", .eTag: "\"a\"", .vary: "Origin"])
    #expect(strong.headerFields[.eTag] == "W/\"a\"")
    #expect(strong.headerFields[.vary] == "Origin, Accept-Encoding")
    let weak = compressed([.contentType: "text/plain", .eTag: "W/\"a\"", .vary: "accept-encoding"])
    #expect(weak.headerFields[.eTag] == "W/\"a\"")
    #expect(weak.headerFields[.vary] == "accept-encoding")
  }
}
