import HTTPTypes
import NIOHTTP1

/// The fields of a request's head, parsed.
struct FieldSection {
  let fields: HTTPFields
  let framing: FramingFields
  /// The bytes that the section takes in the head.
  let byteCount: Int

  /// - Throws: 431 for too many fields, 400 for a malformed field or one that may not be repeated.
  init(_ headers: HTTPHeaders, limits: Limits) throws(RequestError) {
    guard headers.count <= limits.maximumFields else {
      throw RequestError(.headTooLarge, "The request has more than \(limits.maximumFields) fields.")
    }
    var fields = HTTPFields()
    fields.reserveCapacity(headers.count)
    var framing = FramingFields()
    var byteCount = 0
    for (rawName, rawValue) in headers {
      byteCount += rawName.utf8.count + rawValue.utf8.count + 4
      let value = rawValue.withoutSpaceAround
      guard let name = HTTPField.Name(rawName), Self.isFieldValue(value) else {
        throw RequestError(.malformed, "The request has a field whose name or value is not allowed.")
      }
      try framing.add(value, of: name)
      fields.append(HTTPField(name: name, value: value))
    }
    if let host = framing.host, !RequestTarget.isAuthority(host) {
      throw RequestError(.malformed, "The Host field is not a host and a port.")
    }
    self.fields = fields
    self.framing = framing
    self.byteCount = byteCount
  }

  /// Checks the fields that came after the body, which are not used otherwise.
  ///
  /// - Throws: 431 when the request has more fields or larger ones than it may, 400 for a malformed field.
  static func check(trailers: HTTPHeaders, of head: RequestHead, limits: Limits) throws(RequestError) {
    guard head.request.headerFields.count + trailers.count <= limits.maximumFields else {
      throw RequestError(
        .headTooLarge, "The request has more than \(limits.maximumFields) fields, with its trailers.")
    }
    let byteCount = trailers.reduce(head.request.target.utf8.count + head.fieldBytes) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
    guard byteCount <= limits.maximumHeadBytes else {
      throw RequestError(
        .headTooLarge,
        "The request's line and fields are larger than \(limits.maximumHeadBytes) bytes, with its trailers.")
    }
    for (name, value) in trailers where HTTPField.Name(name) == nil || !isFieldValue(value.withoutSpaceAround) {
      throw RequestError(.malformed, "The request has a trailer whose name or value is not allowed.")
    }
  }

  private static func isFieldValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }
  }
}

extension String {
  /// A field's value without the space around it, which is no part of it (RFC 9110, section 5.5); the parser removes
  /// what is before it, and leaves what is after it.
  var withoutSpaceAround: String {
    guard let last = utf8.last, let first = utf8.first, Self.isSpace(first) || Self.isSpace(last) else { return self }
    let rest = utf8.drop(while: Self.isSpace)
    return rest.lastIndex { !Self.isSpace($0) }.map { String(Substring(rest[...$0])) } ?? ""
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
