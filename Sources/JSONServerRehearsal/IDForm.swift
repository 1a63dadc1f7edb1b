import JSONServer
import JSONServerValues

/// Another form of ids, which can be converted back to the server's own ids.
enum IDForm: Sendable {
  /// Numbers that do not fit 32 bits.
  case larger
  /// Texts with 80 characters more.
  case longer
  /// Texts with another beginning.
  case prefixed

  private static let offset = 900_000_000_000
  /// The ids that fit 32 bits. After adding the offset, no id looks like a present-day time in milliseconds.
  private static let short = 0..<(1 << 31)
  private static let suffix = "~" + String(repeating: "0123456789abcdef", count: 5)
  private static let prefix = "obj_"

  /// An id in this form.
  func changed(_ id: JSONValue) -> JSONValue {
    switch (self, id) {
    case (.larger, .number(let number)): JSONNumber(text: changed(number.text)).map(JSONValue.number) ?? id
    case (.longer, .string(let text)), (.prefixed, .string(let text)): .string(changed(text))
    default: id
    }
  }

  /// An id in this form, as text.
  func changed(_ id: String) -> String {
    switch self {
    case .larger: Int(id).flatMap { Self.short ~= $0 ? "\($0 + Self.offset)" : nil } ?? id
    case .longer: id.hasSuffix(Self.suffix) ? id : id + Self.suffix
    case .prefixed: id.hasPrefix(Self.prefix) ? id : Self.prefix + id
    }
  }

  /// Converts an id of this form, or a list of ids with commas, back to the server's form; other texts stay.
  private func restored(_ text: String) -> String {
    text.split(separator: ",", omittingEmptySubsequences: false).map { id -> String in
      switch self {
      case .larger: Int(id).flatMap { Self.short ~= $0 &- Self.offset ? "\($0 &- Self.offset)" : nil } ?? "\(id)"
      case .longer: "\(id.hasSuffix(Self.suffix) ? id.dropLast(Self.suffix.count) : id)"
      case .prefixed: "\(id.hasPrefix(Self.prefix) ? id.dropFirst(Self.prefix.count) : id)"
      }
    }.joined(separator: ",")
  }

  private func restored(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object): .object(JSONObject(object.map { ($0.name, restored($0.value)) }))
    case .array(let elements): .array(elements.map { restored($0) })
    case .string(let text): .string(restored(text))
    case .number(let number): JSONNumber(text: restored(number.text)).map(JSONValue.number) ?? value
    case .bool, .null: value
    }
  }

  /// Converts the ids in the path, the parameters and the body of a request back to the server's form.
  func restore(_ request: inout Request) {
    let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    request.target =
      restored(parts[0], between: "/") + parts.dropFirst().map { "?" + restored($0, between: "&") }.joined()
    if let value = try? JSONValue(parsing: request.bytes) {
      let own = restored(value)
      if own != value { request.bytes = own.utf8Text() }
    } else if request.headerFields[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true {
      request.bytes = Array(restored(Substring(decoding: request.bytes, as: UTF8.self), between: "&").utf8)
    }
  }

  /// Converts percent-encoded segments, or the values of parameters.
  private func restored(_ text: Substring, between separator: Character) -> String {
    text.split(separator: separator, omittingEmptySubsequences: false).map { part in
      let start = part.lastIndex(of: "=").map { part.index(after: $0) } ?? part.startIndex
      let value = PercentEncoding.decodeForm(part[start...].utf8)
      let own = restored(value)
      return own == value ? String(part) : part[..<start] + PercentEncoding.encodeSegment(own)
    }.joined(separator: String(separator))
  }
}
