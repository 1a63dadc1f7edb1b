import HTTPTypes
import JSONServerValues
import NIOCore
import Testing

@testable import JSONServerHTTP

/// The fields that most responses share, which are written once.
struct CommonFieldsTests {
  private static let common = CommonFields([.contentType: "text/plain", .vary: "Origin"])

  private static func response() -> PreparedResponse {
    PreparedResponse(status: .ok, commonFields: common, body: .bytes(Array("a".utf8)))
  }

  private static func head(_ response: PreparedResponse) -> [Substring] {
    var (writer, output) = (ResponseWriter(), ByteBuffer())
    writer.writeHead(
      of: response, framing: .length(1), form: ResponseForm(keepsConnection: true), closes: false, to: &output)
    return String(buffer: output).split(separator: "\r\n").filter { !$0.hasPrefix("Date: ") }
  }

  @Test func `are written as the fields that they are`() {
    let plain = PreparedResponse(headerFields: Self.common.fields, body: .bytes(Array("a".utf8)))
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

  @Test func `stay where a field is added beside them`() {
    var response = Self.response()
    response.append(.link, "b")
    #expect(response.commonFields != nil)
    let lines = ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Vary: Origin", "Link: b", "Content-Length: 1"]
    #expect(Self.head(response) == lines[...].map { $0[...] })
  }

  @Test func `are fields like others for Swift code`() {
    #expect(Self.response().response.headerFields == Self.common.fields)
    #expect(PreparedResponse(Self.response().response).commonFields == nil)
  }
}
