public import HTTPTypes
package import JSONDatabase
public import JSONServerValues
import NIOConcurrencyHelpers
import NIOCore

/// An HTTP response: `.json(["balance": 200])`, `.status(.noContent)`, `.data(png, type: "image/png")`, `.reset`.
public struct Response: Sendable {
  /// The body of a response.
  package enum Content: Sendable {
    /// All bytes at once.
    case bytes([UInt8])
    /// Bytes that arrive in pieces, and their total number when it is known.
    ///
    /// A stream without a length counts as endless, such as server-sent events: it ends when the client disconnects or the
    /// server stops. A stream with a length is sent to its end and cut off at the length; a client sees fewer bytes as an
    /// error.
    // Indirect: the size of AsyncStream is known only at run time, and would make the size of Response unknown, too.
    indirect case stream(AsyncStream<[UInt8]>, length: Int? = nil)
    /// Bytes that are made while the client reads, by the server itself.
    case slices(SlicedBody)
    /// Server-sent events, each of which waits for its time.
    case events(EventList)

    /// The bytes of a complete body, and of events; empty for a stream and for slices.
    package var bytes: [UInt8] {
      switch self {
      case .bytes(let bytes): bytes
      case .events(let list): list.bytes
      case .stream, .slices: []
      }
    }
  }

  /// The status.
  public var status: HTTPResponse.Status

  /// The header fields.
  package var headerFields: HTTPFields

  /// The body.
  package var content: Content

  /// How the response is sent over a socket; ``Server/respond(to:)`` returns the response in any case.
  package var delivery: Delivery

  /// The speed at which the body is sent; `nil` for no limit.
  package var bytesPerSecond: Int?

  /// The reason why the response cannot be sent, which becomes an error when it is used; `nil` for a valid response.
  package var problem: String?

  /// The message of an error, for clients that accept only plain text.
  package var errorMessage: String?

  /// Called when the response is passed to the connection, before any later response.
  package var onSending: (@Sendable () -> Void)?

  /// Creates a response.
  package init(
    status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: Content = .bytes([]),
    delivery: Delivery = .normal
  ) {
    self.status = status
    self.headerFields = headerFields
    content = body
    self.delivery = delivery
  }

  /// The header fields; the transport adds its own, such as `Content-Length` and `Date`, when it sends the response.
  public var headers: HTTPFields {
    get { headerFields }
    set { headerFields = newValue }
  }

  /// The bytes of a complete body; empty for a stream.
  package var bytes: [UInt8] { content.bytes }

  /// The body; empty for a stream.
  ///
  /// - Complexity: O(size).
  public var body: Data {
    get { Data(bytes) }
    set { content = .bytes(Array(newValue)) }
  }

  /// The body as JSON; `nil` when the body is not JSON.
  public var json: JSONValue? { try? JSONValue(parsing: bytes) }

  /// The response to HEAD: the header fields of the response to GET, with `Content-Length`, and no body (RFC 9110,
  /// section 9.3.2).
  package var head: Response {
    var response = self
    let length: Int? =
      switch content {
      case .bytes(let bytes): bytes.isEmpty ? nil : bytes.count
      case .stream(_, let length): length
      case .slices, .events: nil
      }
    if let length { response.headerFields[.contentLength] = String(length) }
    response.content = .bytes([])
    return response
  }
}

/// A response inside the server: a ``Response`` with prepared parts that save work when it is sent.
///
/// ``init(_:)`` wraps a response of user code; ``response`` unwraps it.
package struct PreparedResponse: Sendable {
  /// The largest body that is made and sent as a whole; a larger body is made in slices, as fast as the client reads.
  package static let largestWhole = 1024 * 1024

  package var status = HTTPResponse.Status.ok

  /// The header fields, without those that the transport and ``validator`` add. Every change except ``append(_:_:)``
  /// clears ``commonFields``.
  package var headerFields: HTTPFields = [:] {
    didSet { commonFields = nil }
  }

  package var body = Response.Content.bytes([])
  package var delivery = Response.Delivery.normal
  /// The speed at which the body is sent; `nil` for no limit.
  package var bytesPerSecond: Int?

  /// The fields that begin most responses, as prepared bytes; `nil` when ``headerFields`` does not begin with them.
  ///
  /// These fields depend neither on an origin or a content coding of the request, nor on the status or the body.
  package private(set) var commonFields: CommonFields?

  /// The validator of the body, which becomes the `ETag` field when the response is sent.
  package var validator: EntityTag?

  /// The message of an error, for clients that accept only plain text.
  package var errorMessage: String?

  /// Whether an OpenAPI document forbids the request.
  package var isInvalid = false

  /// The origin of a page that may not read the response, since `--cors` does not allow it; `nil` for every other client.
  package var refusedOrigin: String?

  /// Called when the response is passed to the connection, before any later response.
  package var onSending: (@Sendable () -> Void)?

  package init(
    status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: Response.Content = .bytes([]),
    delivery: Response.Delivery = .normal
  ) {
    self.status = status
    self.headerFields = headerFields
    self.body = body
    self.delivery = delivery
  }

  /// Creates a response with the fields of most responses.
  package init(status: HTTPResponse.Status, commonFields: CommonFields, body: Response.Content) {
    self.status = status
    headerFields = commonFields.fields
    self.body = body
    self.commonFields = commonFields
  }
}

extension PreparedResponse {
  /// Adds a field after the common fields, and keeps ``commonFields``.
  package mutating func append(_ name: HTTPField.Name, _ value: String) {
    let commonFields = commonFields
    headerFields.append(HTTPField(name: name, value: value))
    self.commonFields = commonFields
  }

  /// Wraps a response of middleware, or of a program that embeds the server.
  package init(_ response: Response) {
    if let problem = response.problem {
      self = .error(.internalServerError, problem)
      return
    }
    self.init(
      status: response.status, headerFields: response.headerFields, body: response.content,
      delivery: response.delivery)
    errorMessage = response.errorMessage
    bytesPerSecond = response.bytesPerSecond
    onSending = response.onSending
    if delivery == .truncated(after: 0) { cut() }
  }

  /// Has the response end in the middle of its body; without a body, of one that says so.
  package mutating func cut() {
    if case .bytes([]) = body {
      let notice: JSONValue = ["error": "This response is cut off before its end."]
      body = .bytes(notice.utf8Text())
      headerFields[.contentType] = "application/json"
    }
    delivery = .truncated(after: estimatedByteCount / 2)
  }

  /// The response as Swift code sees it, with all header fields. A body of slices becomes one body, in O(its size).
  package var response: Response {
    let whole = if case .slices(let body) = body { Response.Content.bytes(body.bytes) } else { body }
    var complete = Response(status: status, headerFields: headerFields, body: whole, delivery: delivery)
    if let validator { complete.headerFields[.eTag] = validator.fieldValue }
    complete.errorMessage = errorMessage
    complete.bytesPerSecond = bytesPerSecond
    return complete
  }

  /// The same response with another body.
  package func with(_ body: Response.Content) -> PreparedResponse {
    var response = self
    response.body = body
    return response
  }

  /// The bytes of a complete body, and of events; empty for a stream and for slices.
  package var bytes: [UInt8] { body.bytes }

  /// The number of the body's bytes, an estimate for slices; 0 for a stream.
  package var estimatedByteCount: Int {
    switch body {
    case .bytes(let bytes): bytes.count
    case .events(let list): list.bytes.count
    case .stream: 0
    case .slices(let body): body.text.estimatedByteCount
    }
  }

  /// The fields of every response with JSON.
  package static let jsonFields: HTTPFields = [
    .contentType: "application/json; charset=utf-8", .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
  ]

  /// Creates a response with a JSON body, laid out for people.
  package static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> PreparedResponse {
    PreparedResponse(status: status, headerFields: jsonFields, body: .bytes(value.utf8Text(.pretty)))
  }
}

/// The header fields that most responses of a server begin with, prepared once as bytes and copied into each response.
package final class CommonFields: Sendable {
  let fields: HTTPFields
  /// The fields as lines of a response's head.
  let lines: [UInt8]

  /// - Parameter fields: Fields that never change; none of them may say how the body ends.
  package init(_ fields: HTTPFields) {
    self.fields = fields
    lines = fields.flatMap { "\($0.name.rawName): \($0.value)\r\n".utf8 }
  }
}

/// A body that is too large to be made as a whole: slices are made one after the other, as fast as the client reads.
///
/// The body shows one version of the data, and keeps this version in memory.
package final class SlicedBody: Sendable {
  let text: SlicedText
  /// Whether the body is a script (JSONP), in which some characters of JSON must be escaped.
  let isScript: Bool

  package init(_ text: SlicedText) {
    self.text = text
    isScript = false
  }

  package init(script segments: [SlicedText.Segment]) {
    text = SlicedText(segments)
    isScript = true
  }

  /// All bytes. O(size), in time and memory.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let estimate = text.estimatedByteCount
    bytes.reserveCapacity(estimate + estimate / 16)
    text.append(to: &bytes)
    return isScript ? JSONP.escaped(bytes) : bytes
  }

  /// Whether the event loop can make the slices itself: each takes less time than passing it between threads.
  var isPlain: Bool { text.isPlain && !isScript }

  /// The bytes in slices. A worker thread makes each slice when it is asked for.
  var slices: AsyncStream<[UInt8]> {
    let maker = NIOLockedValueBox(SliceMaker(self))
    return AsyncStream {
      await withCheckedContinuation { continuation in
        WorkerThreads.slices.run { continuation.resume(returning: maker.withLockedValue { $0.next() }) }
      }
    }
  }
}

/// Makes the slices of a body one after the other.
struct SliceMaker: Sendable {
  /// The approximate size of the first slice, which the client gets quickly.
  private static let firstSize = 32 * 1024
  /// The approximate size of the other slices: a connection holds at most two, and the event loop writes one without a
  /// pause.
  private static let size = 256 * 1024
  /// The memory in which a slice is made, with room for a value that begins before its end.
  static let capacity = size + 96 * 1024

  private var cursor: SliceCursor
  private let isScript: Bool
  private var isFirst = true

  package init(_ body: SlicedBody) {
    cursor = SliceCursor(body.text)
    isScript = body.isScript
  }

  /// Makes the next slice; `nil` at the end.
  ///
  /// - Parameter size: The approximate size; only a large value is divided.
  mutating func next(_ size: Int? = nil) -> [UInt8]? {
    guard !cursor.isAtEnd else { return nil }
    let count = size ?? nextSize()
    var slice: [UInt8] = []
    slice.reserveCapacity(count + count / 8)
    cursor.append(toCount: count, to: &slice)
    guard isScript else { return slice }
    // A character that must be escaped has three bytes, which must be in one slice.
    while slice.suffix(2).contains(0xE2), !cursor.isAtEnd { cursor.append(toCount: slice.count + 1, to: &slice) }
    return JSONP.escaped(slice)
  }

  /// Appends the next slice of a plain body to a buffer, and returns its size; 0 at the end.
  mutating func appendNext(to buffer: inout ByteBuffer) -> Int {
    let count = nextSize()
    var overflow: [UInt8] = []
    let held = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
      var text = GatheredText(memory.bindMemory(to: UInt8.self))
      cursor.append(toCount: count, to: &text)
      let held: Int
      (held, overflow) = text.result()
      return held
    }
    return held + buffer.writeBytes(overflow)
  }

  private mutating func nextSize() -> Int {
    defer { isFirst = false }
    return isFirst ? Self.firstSize : Self.size
  }
}

/// The validator of a body (RFC 9110, section 8.8.3): different bytes have different tags, as far as 64 bits
/// can tell.
package struct EntityTag: Sendable {
  /// The number of bytes, or of the version.
  private let count: UInt64
  private let hash: UInt64

  /// Reads a body. O(size), at several GB/s.
  package init(of body: [UInt8]) {
    count = UInt64(body.count)
    hash = body.withUnsafeBytes { ContentHash(of: $0).value }
  }

  /// Creates the validator of a body without reading it: bodies with the same version and context must be equal.
  ///
  /// - Parameters:
  ///   - version: The version of the data that the body shows.
  ///   - context: Everything else that the body depends on.
  package init(version: UInt64, of context: [UInt8]) {
    count = version
    hash = context.withUnsafeBytes { ContentHash(of: $0).value }
  }

  /// The tag as `W/"count-hash"` in hexadecimal digits.
  package var fieldValue: String {
    withFieldValue { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls a closure with the bytes of ``fieldValue``.
  ///
  /// The bytes are written from the end: building them from strings took longer than the hash.
  func withFieldValue<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { buffer in
      var start = buffer.count
      func write(_ byte: UInt8) {
        start -= 1
        buffer[start] = byte
      }
      func writeDigits(_ number: UInt64) {
        var rest = number
        repeat {
          let digit = UInt8(truncatingIfNeeded: rest & 15)
          write(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
          rest >>= 4
        } while rest > 0
      }
      write(UInt8(ascii: "\""))
      writeDigits(hash)
      write(UInt8(ascii: "-"))
      writeDigits(count)
      for byte in "\"/W".utf8 { write(byte) }
      return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...]))
    }
  }
}

/// The tags in an `If-None-Match` or `If-Match` field.
///
/// All tags of the server are weak, since a body may be sent compressed; so `If-Match` compares weakly, too.
package struct EntityTagList {
  private let items: [String]

  package init(_ field: String) {
    items = field.split(separator: ",").map { String($0).withoutSpaceAround }
  }

  /// Whether the field is `*`.
  package var isForAny: Bool { items == ["*"] }

  /// Whether the field names a tag, or is `*`; weak and strong tags are alike (RFC 9110, section 8.8.3.2).
  package func names(_ tag: String) -> Bool {
    items.contains { $0 == "*" || Self.opaque($0) == Self.opaque(tag) }
  }

  private static func opaque(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }
}
