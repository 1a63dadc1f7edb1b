public import HTTPTypes
import JSONDatabase
public import JSONServerValues
import JSONStorage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One HTTP response: `.json(["balance": 200])`, `.status(.noContent)`, `.data(png, type: "image/png")`, `.reset`.
public struct Response: Sendable {
  /// What follows the head.
  package enum Content: Sendable {
    /// All bytes at once.
    case bytes([UInt8])
    /// Bytes that arrive one after the other, and their total number when it is known.
    ///
    /// A stream of unknown length is taken to be endless, such as server-sent events: it ends when the client stops
    /// sending or the server shuts down. One of known length goes on to its end, and is cut off there; a client notices
    /// that it is broken when fewer bytes come.
    // Indirect, since a stream's size is known only at run time: every response's size would then be, too.
    indirect case stream(AsyncStream<[UInt8]>, length: Int? = nil)
  }

  /// The status.
  public var status: HTTPResponse.Status

  /// The header fields.
  package var headerFields: HTTPFields

  /// What follows the head.
  package var content: Content

  /// How it is sent over a socket; callers of ``Server/respond(to:)`` get the response whatever this says.
  package var delivery: Delivery

  /// What is wrong with a response that cannot be sent, which is told where it is used; `nil` for nothing.
  package var problem: String?

  /// What an error's body says, for clients that accept only plain text.
  var errorMessage: String?

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

  /// The header fields; those of the transport, such as `Content-Length` and `Date`, are added when it is sent.
  public var headers: HTTPFields {
    get { headerFields }
    set { headerFields = newValue }
  }

  /// The bytes of a body that is complete; empty for a stream.
  package var bytes: [UInt8] {
    guard case .bytes(let bytes) = content else { return [] }
    return bytes
  }

  /// The body; empty for a stream.
  ///
  /// - Complexity: O(size).
  public var body: Data {
    get { Data(bytes) }
    set { content = .bytes(Array(newValue)) }
  }

  /// The body as JSON; `nil` when it is something else.
  public var json: JSONValue? { try? JSONValue(parsing: bytes) }

  /// The response to HEAD: the fields of that to GET, the length among them, without its body (RFC 9110, section
  /// 9.3.2).
  var head: Response {
    var response = self
    let length: Int? =
      switch content {
      case .bytes(let bytes): bytes.isEmpty ? nil : bytes.count
      case .stream(_, let length): length
      }
    if let length { response.headerFields[.contentLength] = String(length) }
    response.content = .bytes([])
    return response
  }
}

/// A response inside the server: a ``Response`` with what saves work on its way out.
///
/// The public type knows nothing of this. Code that takes a response from outside wraps it; ``response`` unwraps it.
package struct PreparedResponse: Sendable {
  /// The largest body that is made and sent as a whole; a larger one is written in slices, as its client takes them.
  static let largestWhole = 1024 * 1024

  /// What follows the head.
  enum Body: Sendable {
    /// All bytes at once.
    case bytes([UInt8])
    /// Bytes that arrive one after the other, and their total number when it is known.
    indirect case stream(AsyncStream<[UInt8]>, length: Int? = nil)
    /// Bytes that are made as the client takes them.
    case slices(SlicedBody)

    init(_ body: Response.Content) {
      self =
        switch body {
        case .bytes(let bytes): .bytes(bytes)
        case .stream(let stream, let length): .stream(stream, length: length)
        }
    }

    /// The number of its bytes, of slices about that; 0 for a stream.
    var estimatedByteCount: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .stream: 0
      case .slices(let body): body.estimatedByteCount
      }
    }

    /// The body as Swift code sees it. O(size) for slices, in time and memory.
    fileprivate var whole: Response.Content {
      switch self {
      case .bytes(let bytes): .bytes(bytes)
      case .stream(let stream, let length): .stream(stream, length: length)
      case .slices(let body): .bytes(body.bytes)
      }
    }
  }

  package var status: HTTPResponse.Status
  var body: Body
  package var delivery: Response.Delivery

  /// The fields except those that the transport and ``validator`` add; any change but ``append(_:_:)`` clears
  /// ``commonFields``.
  package var headerFields: HTTPFields {
    didSet { commonFields = nil }
  }

  /// The first fields as one piece, when they are those of most responses and none has been changed since.
  ///
  /// They were made for a request that sends neither an origin nor a coding, and for no particular status or body.
  private(set) var commonFields: CommonFields?

  /// The number of bytes of a body that is complete; 0 for another one.
  var byteCount: Int {
    if case .bytes(let bytes) = body { bytes.count } else { 0 }
  }

  /// The validator of the body, which becomes a field when the response leaves.
  var validator: EntityTag?

  /// What an error's body says, for clients that accept only plain text.
  var errorMessage: String?

  /// The origin of the page whose browser will not show it the response; `nil` for every other client.
  package var refusedOrigin: String?

  init(
    status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: Body = .bytes([]),
    delivery: Response.Delivery = .normal
  ) {
    self.status = status
    self.body = body
    self.delivery = delivery
    self.headerFields = headerFields
  }

  /// Creates a response with the fields of most responses.
  init(status: HTTPResponse.Status, commonFields: CommonFields, body: Body) {
    self.status = status
    self.body = body
    delivery = .normal
    headerFields = commonFields.fields
    self.commonFields = commonFields
  }

  /// Adds a field beside the common ones, which do not depend on it.
  mutating func append(_ name: HTTPField.Name, _ value: String) {
    let commonFields = commonFields
    headerFields.append(HTTPField(name: name, value: value))
    self.commonFields = commonFields
  }

  /// Wraps a response that came from outside: from middleware or an embedder.
  package init(_ response: Response) {
    if let problem = response.problem {
      self = .error(.internalServerError, problem)
      return
    }
    self.init(
      status: response.status, headerFields: response.headerFields, body: Body(response.content),
      delivery: response.delivery)
    errorMessage = response.errorMessage
  }

  /// The response as Swift code sees it: with every field among its header fields.
  ///
  /// Until the fields are read, responses that differ in their validator share them. A body of slices is made whole.
  package var response: Response {
    var complete = Response(status: status, headerFields: headerFields, body: body.whole, delivery: delivery)
    if let validator { complete.headerFields[.eTag] = validator.fieldValue }
    complete.errorMessage = errorMessage
    return complete
  }

  /// The same response with another body.
  func with(_ body: Body) -> PreparedResponse {
    var response = self
    response.body = body
    return response
  }

  /// The bytes of a body that is complete; empty for a stream, and for slices.
  package var bytes: [UInt8] {
    guard case .bytes(let bytes) = body else { return [] }
    return bytes
  }

  /// The number of the body's bytes, of slices about that; 0 for a stream.
  package var estimatedByteCount: Int { body.estimatedByteCount }

  /// Creates a response with a JSON body, laid out for people.
  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> PreparedResponse {
    PreparedResponse(status: status, headerFields: EndpointResult.fields, body: .bytes(value.utf8Text(.pretty)))
  }
}

/// The fields that most responses of a server have, and no others: written once, and copied into each head.
final class CommonFields: Sendable {
  let fields: HTTPFields
  /// The fields as a head holds them.
  let lines: [UInt8]

  /// - Parameter fields: Fields that do not change and do not say how a message ends.
  init(_ fields: HTTPFields) {
    self.fields = fields
    lines = fields.flatMap { "\($0.name.rawName): \($0.value)\r\n".utf8 }
  }
}

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

/// The validator of a body (RFC 9110, section 8.8.3): different bytes never have the same tag.
struct EntityTag: Sendable {
  /// The number of bytes, or of the version.
  private let count: UInt64
  private let hash: UInt64

  /// Reads a body. O(size), at several GB/s.
  init(of body: [UInt8]) {
    count = UInt64(body.count)
    hash = body.withUnsafeBytes { ContentHash(of: $0).value }
  }

  /// Creates the validator of a body that is not read: no two versions with the same number and context may differ.
  ///
  /// - Parameters:
  ///   - version: The version of the data that the body shows.
  ///   - context: All else that the body depends on.
  init(version: UInt64, of context: [UInt8]) {
    count = version
    hash = context.withUnsafeBytes { ContentHash(of: $0).value }
  }

  /// The tag as `W/"count-hash"` in hexadecimal digits.
  var fieldValue: String {
    withFieldValue { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls a closure with the bytes of ``fieldValue``.
  ///
  /// Written from its end: building it from strings took longer than the hash.
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
/// All tags of the server are weak, since a body may be sent compressed; so `If-Match` compares them as weak ones too.
struct EntityTagList {
  private let items: [Substring]

  init(_ field: String) {
    items = field.split(separator: ",").map { item in
      let item = item.drop { $0 == " " || $0 == "\t" }
      let end = item.lastIndex { $0 != " " && $0 != "\t" }
      return end.map { item[...$0] } ?? ""
    }
  }

  /// Whether the field names a tag, or is `*`; weak and strong tags are alike (RFC 9110, section 8.8.3.2).
  func names(_ tag: String) -> Bool {
    items.contains { $0 == "*" || Self.opaque($0) == Self.opaque(tag[...]) }
  }

  private static func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}
