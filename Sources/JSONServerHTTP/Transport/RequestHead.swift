import HTTPTypes
import NIOCore
import NIOHTTP1

/// A parsed request head, within the limits and with unambiguous framing.
struct RequestHead {
  /// How the body ends.
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
  }

  /// The request without its body.
  let request: Request
  let framing: Framing
  /// The compression of the body; `nil` for none.
  let coding: ContentCoding?
  /// Whether the client waits for permission to send the body.
  let expectsContinue: Bool
  let form: ResponseForm
  /// The size of the fields, as the limits count it.
  let fieldBytes: Int
  /// Whether the parser expects another protocol after this request, and stops reading.
  let stopsParser: Bool

  /// Reads a head of the parser.
  ///
  /// - Throws: The error with which the request is refused; its body is not read then.
  init(_ head: HTTPRequestHead, limits: Limits) throws(RequestError) {
    guard head.uri.utf8.count <= limits.maximumTargetBytes else {
      throw RequestError(.targetTooLong, "The request's target is longer than \(limits.maximumTargetBytes) bytes.")
    }
    guard head.method != .CONNECT else {
      throw RequestError(.notImplemented, "This server does not support CONNECT.")
    }
    guard head.headers.count <= limits.maximumFields else {
      throw RequestError(.headTooLarge, "The request has more than \(limits.maximumFields) fields.")
    }
    var fields = try head.headers.fields(called: "field")
    let host = try fields.only(.host)
    if let host, !TargetForm.isAuthority(host) {
      throw RequestError(.malformed, "The Host field is not a host and a port.")
    }
    var target = head.uri
    fieldBytes = head.headers.byteCount
    guard target.utf8.count + fieldBytes <= limits.maximumHeadBytes else {
      throw RequestError(
        .headTooLarge,
        "The request's line and fields are larger than \(limits.maximumHeadBytes) bytes.")
    }
    let isLegacy = head.version.minor == 0
    guard host != nil || isLegacy else {
      throw RequestError(.malformed, "The request has no Host field.")
    }
    if target.utf8.first != UInt8(ascii: "/") {
      let (path, authority) = try TargetForm.inOriginForm(target, method: head.method)
      target = path
      if let authority { fields[.host] = authority }
    }
    framing = try fields.framing(isLegacy: isLegacy, limits: limits)
    coding = framing == .none ? nil : try fields.bodyCoding
    expectsContinue = try fields.expectsContinue && !isLegacy && framing != .none
    form = ResponseForm(
      isHeadOnly: head.method == .HEAD, isLegacy: isLegacy,
      keepsConnection: fields.keepsConnection(isLegacy: isLegacy) && head.isKeepAlive)
    stopsParser = fields.contains(.upgrade) && head.headers.stopParser
    guard let method = HTTPRequest.Method(head.method.rawValue) else {
      throw RequestError(.malformed, "The request's method is not a token.")
    }
    var request = Request(method: method, target: target, headerFields: fields)
    request.mayLackHost = isLegacy
    self.request = request
  }

  /// Checks the fields after the body, which are not used otherwise.
  ///
  /// - Throws: 431 for more or larger fields than allowed, 400 for a malformed field.
  func check(trailers: HTTPHeaders, limits: Limits) throws(RequestError) {
    guard request.headerFields.count + trailers.count <= limits.maximumFields else {
      throw RequestError(
        .headTooLarge, "The request has more than \(limits.maximumFields) fields, with its trailers.")
    }
    guard request.target.utf8.count + fieldBytes + trailers.byteCount <= limits.maximumHeadBytes else {
      throw RequestError(
        .headTooLarge,
        "The request's line and fields are larger than \(limits.maximumHeadBytes) bytes, with its trailers.")
    }
    _ = try trailers.fields(called: "trailer")
  }
}

extension Request {
  /// Creates a request of a refused head, cut to the limits; `nil` for a head with an invalid method or field.
  init?(refused head: HTTPRequestHead, limits: Limits) {
    var kept = HTTPHeaders()
    var room = limits.maximumHeadBytes
    for (name, value) in head.headers.prefix(limits.maximumFields) where name.utf8.count + value.utf8.count <= room {
      kept.add(name: name, value: value)
      room -= name.utf8.count + value.utf8.count
    }
    guard let method = HTTPRequest.Method(head.method.rawValue), let fields = try? kept.fields(called: "field") else {
      return nil
    }
    self.init(
      method: method, target: String(decoding: head.uri.utf8.prefix(limits.maximumTargetBytes), as: UTF8.self),
      headerFields: fields)
  }
}

extension HTTPHeaders {
  /// The size of the fields in bytes.
  fileprivate var byteCount: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }

  /// The fields, without the white space around their values.
  ///
  /// - Parameter kind: What one of them is called in the error.
  /// - Throws: 400 for a malformed field.
  fileprivate func fields(called kind: String) throws(RequestError) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(count)
    for (rawName, rawValue) in self {
      let value = rawValue.withoutSpaceAround
      let isAllowed = value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }
      guard let name = HTTPField.Name(rawName), isAllowed else {
        throw RequestError(.malformed, "The request has a \(kind) whose name or value is not allowed.")
      }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  /// Whether llhttp stops after a request with these fields: one names a protocol, and another has the option
  /// `upgrade`, which llhttp reads in its own way.
  fileprivate var stopParser: Bool {
    guard self["upgrade"].contains(where: { !$0.isEmpty }) else { return false }
    return (self["connection"] + self["proxy-connection"]).contains { value in
      value.utf8.split(separator: UInt8(ascii: ",")).contains { option in
        var option = option.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        while option.last == UInt8(ascii: " ") { option.removeLast() }
        return option.count == 7 && Substring(option).lowercased() == "upgrade"
      }
    }
  }
}

/// Reads targets in another form than origin form (RFC 9112, section 3.2).
private enum TargetForm {
  /// Returns a target in origin form, or `*` of OPTIONS, and the authority of an absolute target, which replaces the Host
  /// field.
  static func inOriginForm(
    _ text: String, method: HTTPMethod
  ) throws(RequestError) -> (target: String, authority: String?) {
    if text == "*", method == .OPTIONS { return (text, nil) }
    guard let scheme = ["http://", "https://"].first(where: text.prefix(8).lowercased().hasPrefix) else {
      throw RequestError(.malformed, "The request's target is neither a path nor a URL with http.")
    }
    let rest = text.dropFirst(scheme.count)
    let authority = String(rest.prefix { $0 != "/" && $0 != "?" })
    guard !authority.isEmpty, isAuthority(authority) else {
      throw RequestError(.malformed, "The URL of the request does not name a host and a port.")
    }
    let path = rest.dropFirst(authority.count)
    return (path.first == "/" ? String(path) : "/" + path, authority)
  }

  /// Whether a text can be a host and a port; an empty text is valid, too (RFC 9110, section 7.2).
  ///
  /// Separators of URLs, lists and credentials are refused, since two readers could see two hosts.
  static func isAuthority(_ text: String) -> Bool {
    text.utf8.allSatisfy(allowedInAuthority.contains)
  }

  private static let allowedInAuthority = ByteSet.words.union(ByteSet("-.:[]%~!$&'()*+;=".utf8))
}

/// What the transport itself reads in a request's fields.
extension HTTPFields {
  /// Returns the value of a field that must not be repeated; `nil` for none.
  ///
  /// - Throws: 400, when the field is repeated.
  fileprivate func only(_ name: HTTPField.Name) throws(RequestError) -> String? {
    guard let index = firstIndex(where: { $0.name == name }) else { return nil }
    if let other = self[(index + 1)...].first(where: { $0.name == name }) {
      throw RequestError(.malformed, "The request has two \(other.name.rawName) fields.")
    }
    return self[index].value
  }

  /// How the body ends (RFC 9112, section 6.3).
  fileprivate func framing(isLegacy: Bool, limits: Limits) throws(RequestError) -> RequestHead.Framing {
    let contentLength = try only(.contentLength)
    if let transferEncoding = joined(.transferEncoding) {
      guard contentLength == nil, !isLegacy else {
        throw RequestError(.malformed, "Transfer-Encoding goes with HTTP/1.1, and not with Content-Length.")
      }
      guard transferEncoding.lowercased() == "chunked" else {
        throw RequestError(.notImplemented, "The only transfer coding that this server knows is chunked.")
      }
      return .chunked
    }
    guard let contentLength else { return .none }
    guard contentLength.utf8.allSatisfy(ByteSet.digits.contains), let length = Int(contentLength) else {
      throw RequestError(.malformed, "The Content-Length is not a number of bytes.")
    }
    guard length <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
    return length == 0 ? .none : .length(length)
  }

  /// Whether the client expects `100 Continue`.
  fileprivate var expectsContinue: Bool {
    get throws(RequestError) {
      guard let expectation = joined(.expect) else { return false }
      guard expectation.lowercased() == "100-continue" else {
        throw RequestError(.unmetExpectation, "The only expectation that this server meets is 100-continue.")
      }
      return true
    }
  }

  /// Whether the connection stays open for further requests; an upgrade is never accepted (RFC 9110, section 7.8).
  fileprivate func keepsConnection(isLegacy: Bool) -> Bool {
    guard let connection = joined(.connection) else { return !isLegacy }
    let options = connection.lowercased().split(separator: ",").map { String($0).withoutSpaceAround }
    if options.contains("close") { return false }
    return !isLegacy || options.contains("keep-alive")
  }
}

extension RequestError {
  /// The error for a body above the limit.
  static func bodyTooLarge(_ limits: Limits) -> RequestError {
    RequestError(.bodyTooLarge, "The body is larger than \(limits.maximumBodyBytes) bytes.")
  }
}

/// A parsed request head, to recognize the same head again.
///
/// A client sends the same head with each request of a connection, except for the target. Parsing it again took longer
/// than finding a record. This is not a parser: all bytes outside of the target must be the same, and the target must
/// not contain a byte that could end it.
final class RequestHeadCache {
  /// The method and the space before the target.
  private let start: [UInt8]
  /// The bytes after the target: the version, the fields and the empty line.
  private let rest: [UInt8]
  private let meaning: RequestHead

  /// - Parameters:
  ///   - bytes: The whole request, without a body.
  ///   - meaning: The meaning of the head.
  /// - Returns: `nil` when the target was not sent as a path, or is not in its usual place.
  init?(_ bytes: ByteBuffer, meaning: RequestHead) {
    let (start, target) = ("\(meaning.request.method) ", meaning.request.target)
    let bytes = bytes.readableBytesView
    guard target.utf8.first == UInt8(ascii: "/"), bytes.starts(with: "\(start)\(target) HTTP/1.".utf8) else {
      return nil
    }
    self.start = Array(start.utf8)
    rest = Array(bytes.dropFirst(start.utf8.count + target.utf8.count))
    self.meaning = meaning
  }

  /// Takes the next request from the input, if it has this head.
  func takeRequest(from input: inout ByteBuffer, limits: Limits) -> (request: Request, form: ResponseForm)? {
    let target = input.withUnsafeReadableBytes { bytes in
      Self.has(start, bytes[...]) ? path(in: bytes[start.count...], limits) : nil
    }
    guard let target else { return nil }
    input.moveReaderIndex(forwardBy: start.count + target.utf8.count + rest.count)
    var request = meaning.request
    request.target = target
    return (request, meaning.form)
  }

  /// The path at the start of the bytes; `nil` when there is none, the limits do not allow it, or the rest of the head
  /// differs.
  private func path(in bytes: Slice<UnsafeRawBufferPointer>, _ limits: Limits) -> String? {
    guard bytes.first == UInt8(ascii: "/"), let end = bytes.firstIndex(where: { !Self.isInTarget($0) }),
      end - bytes.startIndex <= min(limits.maximumTargetBytes, limits.maximumHeadBytes - meaning.fieldBytes),
      Self.has(rest, bytes[end...])
    else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Whether the input begins with some bytes.
  private static func has(_ bytes: [UInt8], _ input: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      UnsafeRawBufferPointer(rebasing: input.prefix(bytes.count)).withMemoryRebound(to: UInt8.self) {
        bytes.isEqual(to: $0)
      }
    }
  }

  /// Whether the parser accepts a byte anywhere in a target: visible characters, except the sign of a fragment.
  private static func isInTarget(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "#")
  }
}

/// Comes before the parser, and passes requests with a known head to the connection.
final class RequestHeadCacheHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var input = Self.unwrapInboundIn(data)
    connection.takeKnownRequests(from: &input)
    guard input.readableBytes > 0 else { return }
    context.fireChannelRead(Self.wrapInboundOut(input))
  }
}

extension ByteBuffer {
  /// The number of bytes up to the end of the first empty line.
  var endOfHead: Int? {
    let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    return withUnsafeReadableBytes { bytes in
      bytes.indices.dropFirst(3).first {
        bytes[$0] == lf && bytes[$0 - 1] == cr && bytes[$0 - 2] == lf && bytes[$0 - 3] == cr
      }.map { $0 + 1 }
    }
  }
}
