import HTTPTypes
import NIOHTTP1

/// A request's head, parsed: within the limits, and with framing that leaves nothing to interpretation.
struct RequestHead {
  /// How a body's end is known.
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
  }

  /// The request, still without its body.
  let request: Request
  let framing: Framing
  /// How the body is compressed; `nil` for not at all.
  let coding: ContentCoding?
  /// Whether the client waits for permission to send the body.
  let expectsContinue: Bool
  let form: ResponseForm
  /// The bytes of the fields, as the limits count them.
  let fieldBytes: Int
  /// Whether the parser takes what follows the request to be of another protocol, and reads none of it.
  let stopsParser: Bool

  /// Reads a head as the parser returns it.
  ///
  /// - Throws: The error to refuse the request with; its body is not read then.
  init(_ head: HTTPRequestHead, limits: Limits) throws(RequestError) {
    guard head.uri.utf8.count <= limits.maximumTargetBytes else {
      throw RequestError(.targetTooLong, "The request's target is longer than \(limits.maximumTargetBytes) bytes.")
    }
    guard head.method != .CONNECT else {
      throw RequestError(.notImplemented, "This server does not support CONNECT.")
    }
    let section = try FieldSection(head.headers, limits: limits)
    var target = head.uri
    guard target.utf8.count + section.byteCount <= limits.maximumHeadBytes else {
      throw RequestError(
        .headTooLarge,
        "The request's line and fields are larger than \(limits.maximumHeadBytes) bytes.")
    }
    let isLegacy = head.version.minor == 0
    let framing = section.framing
    guard framing.host != nil || isLegacy else {
      throw RequestError(.malformed, "The request has no Host field.")
    }
    var fields = section.fields
    if target.utf8.first != UInt8(ascii: "/") {
      let absolute = try RequestTarget(notInOriginForm: target, method: head.method)
      target = absolute.target
      if let authority = absolute.authority, let name = HTTPField.Name("Host") { fields[name] = authority }
    }
    self.framing = try framing.framing(isLegacy: isLegacy, limits: limits)
    coding = self.framing == .none ? nil : try framing.coding
    expectsContinue = try framing.expectsContinue && !isLegacy && self.framing != .none
    form = ResponseForm(
      isHeadOnly: head.method == .HEAD, isLegacy: isLegacy,
      keepsConnection: framing.keepsConnection(isLegacy: isLegacy) && head.isKeepAlive)
    fieldBytes = section.byteCount
    stopsParser = framing.asksForUpgrade && head.headers.stopParser
    var request = try Request(method: Self.method(head.method), target: target, headerFields: fields)
    request.mayLackHost = isLegacy
    self.request = request
  }

  private static func method(_ method: HTTPMethod) throws(RequestError) -> HTTPRequest.Method {
    switch method {
    case .GET: return .get
    case .HEAD: return .head
    case .POST: return .post
    case .PUT: return .put
    case .PATCH: return .patch
    case .DELETE: return .delete
    case .OPTIONS: return .options
    // The list of methods is NIO's and open-ended.
    default:
      guard let method = HTTPRequest.Method(method.rawValue) else {
        throw RequestError(.malformed, "The request's method is not a token.")
      }
      return method
    }
  }
}

extension HTTPHeaders {
  /// Whether llhttp stops after a request with these fields: one names a protocol, and another, which llhttp reads in
  /// its own way, has the option `upgrade`.
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
