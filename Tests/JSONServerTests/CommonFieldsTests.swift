import HTTPTypes
import NIOCore
import Testing

@testable import JSONServer

/// The fields that most answers share, which are written once.
struct CommonFieldsTests {
  private static let common = CommonFields([.contentType: "text/plain", .vary: "Origin"])

  private static func response() -> Response {
    var response = Response(headerFields: common.fields, body: .bytes(Array("a".utf8)))
    response.commonFields = common
    return response
  }

  private static func head(_ response: Response) -> [Substring] {
    var (writer, output) = (ResponseWriter(), ByteBuffer())
    writer.writeHead(
      of: response, framing: .length(1), form: AnswerForm(keepsConnection: true), closes: false, to: &output)
    return String(buffer: output).split(separator: "\r\n").filter { !$0.hasPrefix("Date: ") }
  }

  @Test func `are written as the fields that they are`() {
    var plain = Self.response()
    plain.commonFields = nil
    let lines = ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Vary: Origin", "Content-Length: 1"]
    #expect(Self.head(Self.response()) == lines[...].map { $0[...] })
    #expect(Self.head(plain) == Self.head(Self.response()))
  }

  @Test func `give way to what is changed`() {
    var response = Self.response()
    response.headerFields[.vary] = "Accept"
    #expect(Self.head(response).contains("Vary: Accept"))
    #expect(!Self.head(response).contains("Vary: Origin"))
    response = Self.response()
    response.headerFields.append(HTTPField(name: .link, value: "b"))
    #expect(Self.head(response).contains("Link: b"))
  }

  @Test func `are fields like others for Swift code`() {
    #expect(Self.response().complete.commonFields == nil)
    #expect(Self.response().complete.headerFields == Self.common.fields)
  }
}
