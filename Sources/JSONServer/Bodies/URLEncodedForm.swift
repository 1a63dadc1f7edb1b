import HTTPTypes
import OrderedJSON

/// Reads `application/x-www-form-urlencoded` bodies (WHATWG URL, section 5.1).
enum URLEncodedForm {
  /// Returns a form as the JSON text of an object whose values are strings, or arrays of them for a repeated name.
  ///
  /// A name or a value that is not percent-encoded UTF-8, such as `100%`, stands for itself.
  ///
  /// - Throws: 400, when the text is not UTF-8; 413, when there are more than ``FormFields/maximumCount`` fields.
  static func json(_ body: [UInt8]) throws(RequestError) -> [UInt8] {
    guard String(validating: body, as: UTF8.self) != nil else {
      throw RequestError(.malformed, "The form is not UTF-8; send other characters as UTF-8, percent-encoded.")
    }
    var fields = FormFields()
    var count = 0
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decodeForm(parts[0])
      let value = PercentEncoding.decodeForm(parts.count > 1 ? parts[1] : [])
      guard !name.isEmpty else { continue }
      guard count < FormFields.maximumCount else {
        throw RequestError(
          .bodyTooLarge, "The form has more than \(FormFields.maximumCount) fields; send fewer, or send JSON.")
      }
      count += 1
      fields.append(.string(value), to: ParameterName(name))
    }
    return fields.json
  }
}

/// The fields of a form, in the order of their first appearance.
struct FormFields {
  /// The most fields that a form may have.
  static let maximumCount = 1000

  private var members = JSONObject()

  /// Adds a field. A name that occurs twice, or in brackets, becomes an array.
  mutating func append(_ value: JSONValue, to parameter: ParameterName) {
    // No single field's value is an array.
    switch members[parameter.name] {
    case .array(let list)?: members[parameter.name] = .array(list + [value])
    case let first?: members[parameter.name] = [first, value]
    case nil: members[parameter.name] = parameter.isListElement ? [value] : value
    }
  }

  /// The fields as an object.
  var value: JSONValue { .object(members) }

  /// The fields as the JSON text of an object.
  var json: [UInt8] { value.utf8Text(.compact) }
}
