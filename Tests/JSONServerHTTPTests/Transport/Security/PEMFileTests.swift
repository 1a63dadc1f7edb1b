import TestSupport
import Testing

@testable import JSONServerHTTP

struct PEMFileTests {
  struct Case: CustomTestStringConvertible {
    let text: String?
    let certificate: String?
    let key: String?

    var testDescription: String { text ?? "no file" }
  }

  static let cases = [
    Case(text: nil, certificate: "there is no such file", key: "there is no such file"),
    Case(text: "", certificate: "this is not a PEM file", key: "this is not a PEM file"),
    Case(text: "-----BEGIN CERTIFICATE-----\n", certificate: nil, key: "a certificate and no private key"),
    Case(text: "-----BEGIN PRIVATE KEY-----\n", certificate: "a private key and no certificate", key: nil),
    Case(text: "-----BEGIN EC PRIVATE KEY-----\n", certificate: "a private key and no certificate", key: nil),
    Case(text: "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n", certificate: nil, key: nil),
    Case(
      text: "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", certificate: "a private key and no certificate",
      key: "is encrypted"),
    Case(
      text: "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
      certificate: "a private key and no certificate", key: "is encrypted"),
    Case(text: "-----BEGIN PUBLIC KEY-----\n", certificate: "it holds no certificate", key: "it holds no private key"),
  ]

  @Test(arguments: cases)
  func `A file that cannot be used is named with what it holds`(_ test: Case) throws {
    let directory = try TemporaryDirectory()
    if let text = test.text { try directory.write(text, to: "file.pem") }
    let path = directory.path("file.pem")
    Self.expect(test.certificate, path) { () throws(ServerError) in try PEMFile.certificate(path) }
    Self.expect(test.key, path) { () throws(ServerError) in try PEMFile.privateKey(path) }
  }

  @Test func `A directory is no PEM file`() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: ServerError.self) { try PEMFile.certificate(directory.path) }
    #expect(error?.message == "\(directory.path): this is not a PEM file; check the name.")
  }

  /// Expects an error that names a file and has a text in it; no error without a text.
  private static func expect(_ text: String?, _ path: String, _ read: () throws(ServerError) -> PEMFile) {
    do throws(ServerError) {
      let file = try read()
      #expect(text == nil)
      #expect(file.path == path)
    } catch {
      #expect(error.code == .invalidConfiguration)
      #expect(error.message.hasPrefix("\(path): "))
      #expect(error.message.contains(text ?? "no error"))
    }
  }
}
