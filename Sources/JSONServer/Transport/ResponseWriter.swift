import HTTPTypes
import NIOCore

/// Writes answers as the bytes that go out.
///
/// The transport alone says how a message ends: the application's Content-Length, Transfer-Encoding and Connection
/// fields give way to its own.
struct ResponseWriter {
  /// How the body's end is told to the client.
  enum Framing: Equatable {
    /// There is no body, and nothing is said of one.
    case none
    case length(Int)
    case chunked
    /// The connection's end is the body's.
    case untilClose
  }

  private var date = DateField()

  /// Returns how an answer's body ends.
  static func framing(of response: Response, form: AnswerForm) -> Framing {
    let code = response.status.code
    if code < 200 || code == 204 { return .none }
    switch response.body {
    case .bytes(let bytes):
      // The answers to HEAD and 304 may tell the length of a body that was never made (RFC 9110, section 8.6).
      if bytes.isEmpty, form.isHeadOnly || code == 304 {
        return response.headerFields[.contentLength].flatMap { Int($0) }.map(Framing.length)
          ?? (code == 304 ? .none : .length(0))
      }
      return code == 304 ? .none : .length(bytes.count)
    case .stream:
      if code == 304 { return .none }
      return form.isLegacy ? .untilClose : .chunked
    }
  }

  /// Writes the status line and the fields.
  ///
  /// - Parameter closes: Whether the connection ends after this answer.
  mutating func writeHead(
    of response: Response, framing: Framing, form: AnswerForm, closes: Bool, to output: inout ByteBuffer
  ) {
    output.writeStaticString("HTTP/1.1 ")
    output.writeString(String(response.status.code))
    output.writeStaticString(" ")
    Self.write(response.status.reasonPhrase, to: &output)
    output.writeStaticString("\r\n")
    var hasDate = false
    for field in response.headerFields {
      switch field.name.canonicalName {
      case "content-length", "transfer-encoding", "connection", "keep-alive": continue
      case "date": hasDate = true
      default: break
      }
      output.writeString(field.name.rawName)
      output.writeStaticString(": ")
      Self.write(field.value, to: &output)
      output.writeStaticString("\r\n")
    }
    if !hasDate { output.writeBytes(date.line()) }
    switch framing {
    case .none, .untilClose: break
    case .chunked: output.writeStaticString("Transfer-Encoding: chunked\r\n")
    case .length(let length):
      output.writeStaticString("Content-Length: ")
      output.writeString(String(length))
      output.writeStaticString("\r\n")
    }
    if closes {
      output.writeStaticString("Connection: close\r\n")
    } else if form.isLegacy {
      output.writeStaticString("Connection: keep-alive\r\n")
    }
    output.writeStaticString("\r\n")
  }

  /// Writes a piece of a chunked body; an empty piece would end it and is left out.
  static func writeChunk(_ bytes: some Collection<UInt8>, to output: inout ByteBuffer) {
    guard !bytes.isEmpty else { return }
    output.writeString(String(bytes.count, radix: 16))
    output.writeStaticString("\r\n")
    output.writeBytes(bytes)
    output.writeStaticString("\r\n")
  }

  /// Writes text of the application, with a space for each byte that would end the line and begin a field of its own.
  private static func write(_ text: String, to output: inout ByteBuffer) {
    if text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) {
      output.writeBytes(text.utf8.map { $0 == 0x0a || $0 == 0x0d || $0 == 0 ? 0x20 : $0 })
    } else {
      output.writeString(text)
    }
  }
}
