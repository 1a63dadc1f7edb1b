import HTTPTypes
import NIOHTTP1

/// The fields of a request's head, understood.
///
/// They do not depend on the request line: a client sends the same ones with each request of a connection, and
/// understanding them again took longer than finding a record. A class, because it is handed on with each of them.
final class FieldSection {
  let fields: HTTPFields
  let framing: FramingFields
  /// The bytes that the section takes in the head.
  let byteCount: Int
  private let headers: HTTPHeaders
  private let isASCII: Bool

  /// - Throws: 431 for too many fields, 400 for a field that is not one or may not be doubled.
  init(_ headers: HTTPHeaders, limits: Limits) throws(HTTPError) {
    guard headers.count <= limits.maximumFields else {
      throw HTTPError(.requestHeaderFieldsTooLarge, "The request has more than \(limits.maximumFields) fields.")
    }
    var fields = HTTPFields()
    fields.reserveCapacity(headers.count)
    var framing = FramingFields()
    var byteCount = 0
    var isASCII = true
    for (rawName, rawValue) in headers {
      byteCount += rawName.utf8.count + rawValue.utf8.count + 4
      let value = rawValue.withoutSpaceAround
      guard let name = HTTPField.Name(rawName), Self.isFieldValue(value) else {
        throw HTTPError(.badRequest, "The request has a field whose name or value is not allowed.")
      }
      isASCII = isASCII && value.utf8.allSatisfy { $0 < 0x80 }
      try framing.note(value, of: name)
      fields.append(HTTPField(name: name, value: value))
    }
    if let host = framing.host, !RequestTarget.isAuthority(host) {
      throw HTTPError(.badRequest, "The Host field is not a host and a port.")
    }
    self.fields = fields
    self.framing = framing
    self.byteCount = byteCount
    self.headers = headers
    self.isASCII = isASCII
  }

  /// Whether the section that is made of some headers is this one.
  ///
  /// Swift's strings compare characters; with as many bytes, what equals ASCII is the same bytes. Names are ASCII.
  func isMade(of headers: HTTPHeaders) -> Bool {
    isASCII && headers.count == self.headers.count
      && zip(headers, self.headers).allSatisfy { new, known in
        new.name.utf8.count == known.name.utf8.count && new.value.utf8.count == known.value.utf8.count
          && new.name == known.name && new.value == known.value
      }
  }

  private static func isFieldValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }
  }
}

extension String {
  /// A field's value without the space around it, which is no part of it (RFC 9110, section 5.5); the parser takes off
  /// what stands before, and leaves what stands behind.
  var withoutSpaceAround: String {
    guard let last = utf8.last, let first = utf8.first, Self.isSpace(first) || Self.isSpace(last) else { return self }
    let rest = utf8.drop(while: Self.isSpace)
    return rest.lastIndex { !Self.isSpace($0) }.map { String(Substring(rest[...$0])) } ?? ""
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
