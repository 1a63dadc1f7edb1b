import DequeModule
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Writes responses as bytes.
///
/// Only the transport decides how a message ends: it replaces the application's Content-Length, Transfer-Encoding and
/// Connection fields.
struct ResponseWriter {
  /// How the client finds the body's end.
  enum Framing: Equatable {
    /// There is no body, and its length is not stated.
    case none
    case length(Int)
    case chunked
    /// The body ends with the connection.
    case untilClose
  }

  private var date = DateField()

  /// Returns how a response's body ends.
  static func framing(of response: PreparedResponse, form: ResponseForm) -> Framing {
    let code = response.status.code
    if code < 200 || code == 204 { return .none }
    // The responses to HEAD and 304 may have the length of a body that was never made (RFC 9110, section 8.6).
    if case .bytes(let bytes) = response.body, bytes.isEmpty, form.isHeadOnly || code == 304,
      let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length >= 0
    {
      return .length(length)
    }
    if code == 304 { return .none }
    return switch response.body {
    case .bytes(let bytes): .length(bytes.count)
    case .stream(_, let length?): .length(max(length, 0))
    case .stream, .slices, .events: form.isLegacy ? .untilClose : .chunked
    }
  }

  /// Writes the status line and the fields, and reserves memory for the body.
  ///
  /// - Parameter closes: Whether the connection ends after this response.
  mutating func writeHead(
    of response: PreparedResponse, framing: Framing, form: ResponseForm, closes: Bool, to output: inout ByteBuffer
  ) {
    let bound = Self.headBound(of: response)
    let bodyCount = response.bytes.count
    output.reserveCapacity(minimumWritableBytes: bound + (bodyCount > PreparedResponse.largestWhole ? 0 : bodyCount))
    // One span for the whole head: a buffer would check its owner and its capacity at each of many short writes.
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { buffer in
      var head = ByteCursor(buffer: buffer)
      head.write(literal: "HTTP/1.1 ")
      head.write(response.status.code)
      head.write(literal: " ")
      head.write(response.status.reasonPhrase)
      head.write(literal: "\r\n")
      let common = response.commonFields
      if let common { head.write(common.lines) }
      writeFields(response.headerFields, from: common?.fields.count ?? 0, to: &head)
      if let validator = response.validator {
        head.write(literal: "ETag: ")
        validator.withFieldValue { head.write($0) }
        head.write(literal: "\r\n")
      }
      switch framing {
      case .none, .untilClose: break
      case .chunked: head.write(literal: "Transfer-Encoding: chunked\r\n")
      case .length(let length):
        head.write(literal: "Content-Length: ")
        head.write(length)
        head.write(literal: "\r\n")
      }
      if closes {
        head.write(literal: "Connection: close\r\n")
      } else if form.isLegacy {
        head.write(literal: "Connection: keep-alive\r\n")
      }
      head.write(literal: "\r\n")
      return head.count
    }
  }

  private mutating func writeFields(_ fields: HTTPFields, from first: Int, to head: inout ByteCursor) {
    var hasDate = false
    for index in first..<fields.endIndex {
      let name = fields[index].name
      // Nearly all other names have another length, which is cheaper to compare.
      switch (name.canonicalName.utf8.count, name.canonicalName) {
      case (14, "content-length"), (17, "transfer-encoding"), (10, "connection"), (10, "keep-alive"): continue
      case (4, "date"):
        // Another server or a proxy may have sent two of these fields.
        if hasDate { continue }
        hasDate = true
      default: break
      }
      // HTTPTypes allows neither a line break nor a NUL in a name or a value.
      head.write(name.rawName)
      head.write(literal: ": ")
      head.write(fields[index].value)
      head.write(literal: "\r\n")
    }
    if !hasDate { head.write(date.line()) }
  }

  /// The largest size of a response's head, in bytes.
  private static func headBound(of response: PreparedResponse) -> Int {
    // The status line, the validator, the date and the framing are short and of known form.
    let bound = 256 + response.status.reasonPhrase.utf8.count + (response.commonFields?.lines.count ?? 0)
    let fields = response.headerFields
    return ((response.commonFields?.fields.count ?? 0)..<fields.endIndex).reduce(bound) { bound, index in
      bound + fields[index].name.rawName.utf8.count + fields[index].value.utf8.count + 4
    }
  }

  /// The room before the bytes of a chunk for its size and a line break.
  static let chunkHeadBound = 18

  /// Makes a chunk of the bytes in a buffer that come after ``chunkHeadBound`` bytes; no chunk of none, which would end the
  /// body.
  static func frameChunk(of count: Int, in buffer: inout ByteBuffer) {
    guard count > 0 else { return buffer.clear() }
    let head = String(count, radix: 16) + "\r\n"
    buffer.moveReaderIndex(to: chunkHeadBound - head.utf8.count)
    buffer.setString(head, at: buffer.readerIndex)
    buffer.writeStaticString("\r\n")
  }

  /// Writes a piece of a chunked body; skips an empty piece, which would end the body.
  static func writeChunk(_ bytes: some Collection<UInt8>, to output: inout ByteBuffer) {
    guard !bytes.isEmpty else { return }
    output.writeString(String(bytes.count, radix: 16))
    output.writeStaticString("\r\n")
    output.writeBytes(bytes)
    output.writeStaticString("\r\n")
  }
}

/// The `Date` field of responses, renewed once per second.
struct DateField {
  private var second = Int64.min
  private var line: [UInt8] = []

  /// Returns the field's line, line break included (RFC 9110, section 5.6.7).
  mutating func line(at now: Int64 = Int64(System.now)) -> [UInt8] {
    if now != second {
      second = now
      line = Array("Date: \(HTTPDate(secondsSince1970: now).text)\r\n".utf8)
    }
    return line
  }
}

extension HTTPResponse.Status {
  /// The status with the usual phrase of its code, if it has no phrase.
  package var withPhrase: HTTPResponse.Status {
    guard reasonPhrase.isEmpty else { return self }
    return HTTPResponse.Status(code: code, reasonPhrase: HTTPResponseStatus(statusCode: code).reasonPhrase)
  }
}

/// A position in memory where bytes are written one after the other.
///
/// The memory must have room for all bytes; this is checked.
private struct ByteCursor {
  let buffer: UnsafeMutableRawBufferPointer
  /// The number of bytes written.
  private(set) var count = 0

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= buffer.count - count, "There is no room for \(bytes.count) bytes.")
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  mutating func write(literal text: StaticString) {
    text.withUTF8Buffer { write(UnsafeRawBufferPointer($0)) }
  }

  mutating func write(_ text: String) {
    text.withBytes { write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes the decimal digits of a number that is not negative.
  mutating func write(_ number: Int) {
    if number > 9 { write(number / 10) }
    precondition(count < buffer.count, "There is no room for a digit.")
    buffer[count] = UInt8(ascii: "0") + UInt8(number % 10)
    count += 1
  }
}

/// The memory of sent responses, reused for the next ones.
///
/// Reusing needs no allocation, and the memory is still in the processor's caches.
struct BufferPool {
  /// The largest memory that is kept, in bytes.
  static let maximumBytes = 4096

  private let maximum: Int
  private var buffers: [ByteBuffer] = []

  /// - Parameter maximum: The number of buffers to keep.
  init(maximum: Int) {
    self.maximum = maximum
  }

  /// Returns an empty buffer.
  mutating func take() -> ByteBuffer {
    buffers.popLast() ?? ByteBuffer()
  }

  /// Keeps a buffer's memory, unless it is still in use, for example by a channel that could not send all bytes.
  mutating func put(_ buffer: consuming ByteBuffer) {
    guard buffers.count < maximum, 1...Self.maximumBytes ~= buffer.capacity,
      buffer.modifyIfUniquelyOwned({ $0.clear() }) != nil
    else { return }
    buffers.append(buffer)
  }
}

/// The responses of one connection, in the order of its requests; they may be made in any order.
struct ResponseQueue {
  /// A type of its own: the compiler does not specialize a collection of tuples.
  private struct Entry {
    let form: ResponseForm
    let isSafe: Bool
    /// Whether the request may still read or change data.
    var isPending = true
    var isReady = false
  }

  private var entries: Deque<Entry> = []
  /// The ready responses at their entries' positions: apart from the entries, since looking at an entry copies it.
  private var ready: Deque<PreparedResponse?> = []
  /// The number of the first entry, and of the responses that were taken before it.
  private(set) var poppedCount = 0
  /// The bytes of the bodies that wait for their turn.
  private(set) var heldBytes = 0
  /// The number of safe requests that have begun and not taken effect; an unsafe one runs alone.
  private var pendingSafe = 0
  private var pendingUnsafe = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  /// The form of the next response.
  var firstForm: ResponseForm? { entries.first?.form }

  /// Whether a request may begin alongside the pending ones: only if all are safe (RFC 9112, section 9.3.2).
  func mayBegin(isSafe: Bool) -> Bool {
    pendingUnsafe == 0 && (isSafe || pendingSafe == 0)
  }

  /// Adds a place for the response to a new request.
  ///
  /// - Returns: The number for putting the response into its place.
  mutating func append(_ form: ResponseForm, isSafe: Bool) -> Int {
    entries.append(Entry(form: form, isSafe: isSafe))
    ready.append(nil)
    if isSafe { pendingSafe += 1 } else { pendingUnsafe += 1 }
    return poppedCount + entries.count - 1
  }

  /// Records that a request has taken effect.
  ///
  /// - Returns: Whether that was not recorded before.
  mutating func recordEffect(of number: Int) -> Bool {
    let offset = number - poppedCount
    guard entries.indices.contains(offset), entries[offset].isPending else { return false }
    entries[offset].isPending = false
    if entries[offset].isSafe { pendingSafe -= 1 } else { pendingUnsafe -= 1 }
    return true
  }

  /// Puts a response into its place, unless the place is filled or removed.
  mutating func put(_ response: consuming PreparedResponse, at number: Int) {
    let offset = number - poppedCount
    guard entries.indices.contains(offset), !entries[offset].isReady else { return }
    _ = recordEffect(of: number)
    heldBytes += response.bytes.count
    entries[offset].isReady = true
    ready[offset] = consume response
  }

  /// Takes the next response; `nil` when it is not ready.
  mutating func popReady() -> (form: ResponseForm, response: PreparedResponse)? {
    guard entries.first?.isReady == true, let response = ready.removeFirst() else { return nil }
    poppedCount += 1
    heldBytes -= response.bytes.count
    return (entries.removeFirst().form, response)
  }

  /// Removes all places; later responses are dropped.
  mutating func removeAll() {
    poppedCount += entries.count
    entries.removeAll()
    ready.removeAll()
    heldBytes = 0
    (pendingSafe, pendingUnsafe) = (0, 0)
  }
}

/// How a response to a request must be sent.
struct ResponseForm {
  /// Whether the response is only a head, as to HEAD.
  var isHeadOnly = false
  /// Whether the client speaks HTTP/1.0: no chunks, and the connection stays open only on request.
  var isLegacy = false
  /// Whether the connection stays open for further requests after this one.
  var keepsConnection = false
  /// Whether the request was refused before its end, so that the client may still be sending.
  var isRefusal = false
}
