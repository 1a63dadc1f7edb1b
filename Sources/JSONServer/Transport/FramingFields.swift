import HTTPTypes
import NIOHTTP1

/// The fields of a request that the transport itself acts on, gathered in the pass that copies the fields.
struct FramingFields {
  private(set) var host: String?
  private var contentLength: String?
  private var transferEncoding: String?
  private var contentEncoding: String?
  private var expectation: String?
  private var connection: String?
  private var asksForUpgrade = false

  /// Returns the fields, and notes those of the framing.
  ///
  /// - Throws: 431 for too many or too large fields, 400 for a field that is not one or may not be doubled.
  mutating func read(_ headers: HTTPHeaders, limits: Limits, requestLineBytes: Int) throws(HTTPError) -> HTTPFields {
    guard headers.count <= limits.maximumFields else {
      throw HTTPError(.requestHeaderFieldsTooLarge, "The request has more than \(limits.maximumFields) fields.")
    }
    var bytes = requestLineBytes
    var fields = HTTPFields()
    fields.reserveCapacity(headers.count)
    for (rawName, rawValue) in headers {
      bytes += rawName.utf8.count + rawValue.utf8.count + 4
      let value = Self.withoutSpaceAround(rawValue)
      guard let name = HTTPField.Name(rawName), Self.isFieldValue(value) else {
        throw HTTPError(.badRequest, "The request has a field whose name or value is not allowed.")
      }
      try note(value, of: name)
      fields.append(HTTPField(name: name, value: value))
    }
    guard bytes <= limits.maximumHeadBytes else {
      throw HTTPError(
        .requestHeaderFieldsTooLarge,
        "The request's line and fields are larger than \(limits.maximumHeadBytes) bytes.")
    }
    return fields
  }

  private mutating func note(_ value: String, of name: HTTPField.Name) throws(HTTPError) {
    switch name.canonicalName {
    case "host": try Self.set(&host, value, name)
    case "content-length": try Self.set(&contentLength, value, name)
    case "transfer-encoding": Self.join(&transferEncoding, value)
    case "content-encoding": Self.join(&contentEncoding, value)
    case "expect": Self.join(&expectation, value)
    case "connection": Self.join(&connection, value)
    case "upgrade": asksForUpgrade = true
    default: break
    }
  }

  private static func set(_ field: inout String?, _ value: String, _ name: HTTPField.Name) throws(HTTPError) {
    guard field == nil else { throw HTTPError(.badRequest, "The request has two \(name.rawName) fields.") }
    field = value
  }

  private static func join(_ field: inout String?, _ value: String) {
    field = field.map { "\($0), \(value)" } ?? value
  }

  /// How the body's end is known (RFC 9112, section 6.3).
  func framing(isLegacy: Bool, limits: Limits) throws(HTTPError) -> RequestHead.Framing {
    var framing = RequestHead.Framing.none
    if let transferEncoding {
      guard contentLength == nil, !isLegacy else {
        throw HTTPError(.badRequest, "Transfer-Encoding goes with HTTP/1.1, and not with Content-Length.")
      }
      guard transferEncoding.lowercased() == "chunked" else {
        throw HTTPError(.notImplemented, "The only transfer coding that this server knows is chunked.")
      }
      framing = .chunked
    } else if let contentLength {
      guard contentLength.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let length = Int(contentLength)
      else { throw HTTPError(.badRequest, "The Content-Length is not a number of bytes.") }
      guard length <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
      framing = length == 0 ? .none : .length(length)
    }
    if framing != .none, let contentEncoding, contentEncoding.lowercased() != "identity" {
      throw HTTPError(
        .unsupportedMediaType, "The body must be sent as it is, without Content-Encoding.",
        headerFields: [.acceptEncoding: "identity"])
    }
    return framing
  }

  /// Whether the client expects `100 Continue`.
  var expectsContinue: Bool {
    get throws(HTTPError) {
      guard let expectation else { return false }
      guard expectation.lowercased() == "100-continue" else {
        throw HTTPError(.expectationFailed, "The only expectation that this server meets is 100-continue.")
      }
      return true
    }
  }

  /// Whether the connection serves further requests.
  ///
  /// An upgrade is never accepted, and the parser reads nothing after a request that asks for one.
  func keepsConnection(isLegacy: Bool) -> Bool {
    guard !asksForUpgrade else { return false }
    guard let connection else { return !isLegacy }
    let options = connection.lowercased().split(separator: ",").map { Self.withoutSpaceAround(String($0)) }
    if options.contains("close") { return false }
    return !isLegacy || options.contains("keep-alive")
  }

  /// A value without the space around it, which is no part of it (RFC 9110, section 5.5); the parser takes off what
  /// stands before, and leaves what stands behind.
  private static func withoutSpaceAround(_ value: String) -> String {
    guard let last = value.utf8.last, let first = value.utf8.first, isSpace(first) || isSpace(last) else {
      return value
    }
    let rest = value.utf8.drop(while: isSpace)
    return rest.lastIndex { !isSpace($0) }.map { String(Substring(rest[...$0])) } ?? ""
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isFieldValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }
  }
}

extension HTTPError {
  /// The refusal of a body above the limit.
  static func bodyTooLarge(_ limits: Limits) -> HTTPError {
    HTTPError(.contentTooLarge, "The body is larger than \(limits.maximumBodyBytes) bytes.")
  }
}
