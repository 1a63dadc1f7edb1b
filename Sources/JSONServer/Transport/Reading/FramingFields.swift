import HTTPTypes

/// The fields of a request that the transport itself acts on.
struct FramingFields {
  private(set) var host: String?
  private var contentLength: String?
  private var transferEncoding: String?
  private var contentEncoding: String?
  private var expectation: String?
  private var connection: String?
  private(set) var asksForUpgrade = false

  /// Records a field, if it is one of these.
  ///
  /// - Throws: 400 for a field that may not be repeated.
  mutating func add(_ value: String, of name: HTTPField.Name) throws(RequestError) {
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

  private static func set(_ field: inout String?, _ value: String, _ name: HTTPField.Name) throws(RequestError) {
    guard field == nil else { throw RequestError(.malformed, "The request has two \(name.rawName) fields.") }
    field = value
  }

  private static func join(_ field: inout String?, _ value: String) {
    field = field.map { "\($0), \(value)" } ?? value
  }

  /// How the body's end is known (RFC 9112, section 6.3).
  func framing(isLegacy: Bool, limits: Limits) throws(RequestError) -> RequestHead.Framing {
    var framing = RequestHead.Framing.none
    if let transferEncoding {
      guard contentLength == nil, !isLegacy else {
        throw RequestError(.malformed, "Transfer-Encoding goes with HTTP/1.1, and not with Content-Length.")
      }
      guard transferEncoding.lowercased() == "chunked" else {
        throw RequestError(.notImplemented, "The only transfer coding that this server knows is chunked.")
      }
      framing = .chunked
    } else if let contentLength {
      guard contentLength.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let length = Int(contentLength)
      else { throw RequestError(.malformed, "The Content-Length is not a number of bytes.") }
      guard length <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
      framing = length == 0 ? .none : .length(length)
    }
    return framing
  }

  /// How a body is compressed; `nil` for not at all.
  var coding: ContentCoding? {
    get throws(RequestError) { try contentEncoding.flatMap(ContentCoding.named) }
  }

  /// Whether the client expects `100 Continue`.
  var expectsContinue: Bool {
    get throws(RequestError) {
      guard let expectation else { return false }
      guard expectation.lowercased() == "100-continue" else {
        throw RequestError(.unmetExpectation, "The only expectation that this server meets is 100-continue.")
      }
      return true
    }
  }

  /// Whether the connection serves further requests; an upgrade is never accepted (RFC 9110, section 7.8).
  func keepsConnection(isLegacy: Bool) -> Bool {
    guard let connection else { return !isLegacy }
    let options = connection.lowercased().split(separator: ",").map { String($0).withoutSpaceAround }
    if options.contains("close") { return false }
    return !isLegacy || options.contains("keep-alive")
  }
}

extension RequestError {
  /// The refusal of a body above the limit.
  static func bodyTooLarge(_ limits: Limits) -> RequestError {
    RequestError(.bodyTooLarge, "The body is larger than \(limits.maximumBodyBytes) bytes.")
  }
}
