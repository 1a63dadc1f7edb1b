package import HTTPTypes
import JSONDatabase
package import JSONServerValues

extension HTTPField.Name {
  package static let xTotalCount = Self.known("X-Total-Count")
  package static let xNextSince = Self.known("X-Next-Since")
  package static let xIgnoredParameters = Self.known("X-Ignored-Parameters")
  package static let acceptPatch = Self.known("Accept-Patch")
  package static let link = Self.known("Link")
  package static let methodOverride = Self.known("X-HTTP-Method-Override")
  package static let host = Self.known("Host")
  /// Marks the own requests of the page at `/`.
  package static let page = Self.known("X-JSON-Server-Page")
  /// The number for undoing a write of the page.
  package static let undo = Self.known("X-JSON-Server-Undo")
  /// The name of the request's session.
  package static let session = Self.known("X-JSON-Server-Session")
  /// The client's name of a change that it may repeat (draft-ietf-httpapi-idempotency-key-header).
  package static let idempotencyKey = Self.known("Idempotency-Key")
  package static let lastEventID = Self.known("Last-Event-ID")
  /// Where a browser says that the page is that sends the request (W3C Fetch Metadata).
  static let secFetchSite = Self.known("Sec-Fetch-Site")

  /// A name of this file, which is known to be valid.
  private static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a field name") }
    return name
  }
}

extension HTTPFields {
  /// The fields as an object; the values of repeated fields are joined.
  package var members: JSONObject {
    var members = JSONObject()
    for field in self {
      let earlier = members[field.name.rawName]?.string.map { $0 + ", " } ?? ""
      members[field.name.rawName] = .string(earlier + field.value)
    }
    return members
  }

  /// The fields with which clients, servers and proxies authenticate.
  package static let secretNames: Set = ["authorization", "cookie", "set-cookie", "set-cookie2"]

  /// Sets fields; each replaces the fields with the same name.
  package mutating func replace(with fields: HTTPFields) {
    for field in fields { self[fields: field.name] = fields[fields: field.name] }
  }

  /// Returns the fields together with those of other names.
  package func merging(_ others: HTTPFields) -> HTTPFields {
    var fields = self
    for field in others where !contains(field.name) { fields.append(field) }
    return fields
  }

  /// Returns the value of the first field with a name, or `nil`.
  ///
  /// For fields that occur once, in the path of every request: the subscript joins the values of all fields with a
  /// name, which costs several times as much even for one field.
  package func first(_ name: HTTPField.Name) -> String? {
    first { $0.name == name }?.value
  }

  /// Returns the values of all fields with a name, joined as the subscript joins them, or `nil`.
  ///
  /// For fields that may be repeated and hardly ever are.
  package func joined(_ name: HTTPField.Name) -> String? {
    guard let index = firstIndex(where: { $0.name == name }) else { return nil }
    let isOnly = !self[(index + 1)...].contains { $0.name == name }
    return isOnly ? self[index].value : self[name]
  }

  /// Adds an entry to a field that holds a list, such as `Vary`, unless the field has it in any letter case.
  package mutating func add(_ entry: String, toList name: HTTPField.Name) {
    var first: Int?
    for index in indices where self[index].name == name {
      if Self.list(self[index].value, holds: entry) { return }
      first = first ?? index
    }
    if let first { self[first].value += ", \(entry)" } else { self[name] = entry }
  }

  /// Compares byte by byte: splitting the list took as long as finding a record.
  private static func list(_ list: String, holds entry: String) -> Bool {
    list.withBytes { list in
      entry.withBytes { entry in
        var rest = list[...]
        while !rest.isEmpty {
          let item = rest.prefix { $0 != UInt8(ascii: ",") }
          if isEqual(item.drop(while: isSpace), entry) { return true }
          rest = rest.dropFirst(item.count + 1)
        }
        return false
      }
    }
  }

  /// Whether two entries are equal without letter case and without white space at the end.
  private static func isEqual(
    _ entry: Slice<UnsafeBufferPointer<UInt8>>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    entry.count >= other.count && zip(entry, other).allSatisfy { lowercased($0) == lowercased($1) }
      && entry.dropFirst(other.count).allSatisfy(isSpace)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}

/// Whether a byte is white space around a value (RFC 9110, section 5.6.3).
private func isSpace(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

extension String {
  /// A field's value without the white space around it (RFC 9110, section 5.5); the parser removes only the leading
  /// one.
  var withoutSpaceAround: String {
    guard let last = utf8.last, let first = utf8.first, isSpace(first) || isSpace(last) else { return self }
    let rest = utf8.drop(while: isSpace)
    return rest.lastIndex { !isSpace($0) }.map { String(Substring(rest[...$0])) } ?? ""
  }
}

/// A media type with its parameters, as a `Content-Type` field holds it (RFC 9110, section 8.3.1).
package struct MediaType: Hashable {
  /// The type and subtype in lower case: `application/json`.
  package let essence: String

  /// The parameters' values by name in lower case; of a repeated name the first value.
  let parameters: [String: String]

  /// Reads the value of a field; skips everything that is not a parameter.
  package init(_ text: String) {
    var rest = text[...].utf8
    essence = Self.nextToken(&rest).lowercased()
    var parameters: [String: String] = [:]
    while rest.popFirst() != nil {
      let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
      rest = rest[name.endIndex...]
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest.removeFirst()
      let value = Self.nextValue(&rest)
      let key = String(Substring(name)).withoutSpaceAround.lowercased()
      if parameters[key] == nil { parameters[key] = value }
    }
    self.parameters = parameters
  }

  /// Whether the content is JSON: `application/json`, `text/json`, or a type that ends in `+json`.
  package var isJSON: Bool {
    essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
  }

  /// Reads up to the next semicolon, without the white space around it.
  private static func nextToken(_ rest: inout Substring.UTF8View) -> String {
    let token = rest.prefix { $0 != UInt8(ascii: ";") }
    rest = rest[token.endIndex...]
    return String(Substring(token)).withoutSpaceAround
  }

  /// Reads a value up to the next semicolon outside quotes.
  ///
  /// A backslash escapes only a quote or a backslash: browsers once sent whole Windows paths as file names.
  private static func nextValue(_ rest: inout Substring.UTF8View) -> String {
    rest = rest.drop(while: isSpace)
    guard rest.first == UInt8(ascii: "\"") else { return nextToken(&rest) }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
        rest.removeFirst()
        value.append(next)
      } else {
        value.append(byte)
      }
    }
    _ = nextToken(&rest)
    return String(decoding: value, as: UTF8.self)
  }
}

/// A time in the format of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package struct HTTPDate: Sendable, Hashable {
  let secondsSince1970: Int64

  package init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }
}

extension HTTPDate {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a date in the preferred format; `nil` for the two obsolete formats, which no client has sent for decades.
  init?(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), 1...31 ~= day,
      let month = Self.months.firstIndex(where: { $0 == parts[2] }), let year = Int(parts[3]), 1...9999 ~= year
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
    let days = CivilTime.daysSince1970(year: year, month: month + 1, day: day)
    self.init(secondsSince1970: Int64(days) * 86_400 + Int64(clock[0] * 3600 + clock[1] * 60 + clock[2]))
  }

  /// The date in the preferred form.
  package var text: String {
    let time = CivilTime(secondsSince1970: secondsSince1970)
    let year = String(repeating: "0", count: max(0, 4 - String(time.year).count)) + String(time.year)
    let date = "\(CivilTime.twoDigits(time.day)) \(Self.months[time.month - 1]) \(year)"
    return "\(Self.weekdays[time.weekday]), \(date) \(time.clock) GMT"
  }
}
