import HTTPTypes
import OrderedJSON

extension HTTPField.Name {
  static let xTotalCount = Self.known("X-Total-Count")
  static let xIgnoredParameters = Self.known("X-Ignored-Parameters")
  static let acceptPatch = Self.known("Accept-Patch")
  static let link = Self.known("Link")
  static let methodOverride = Self.known("X-HTTP-Method-Override")
  static let host = Self.known("Host")
  /// Sent by the page at `/` with what it asks for itself.
  static let page = Self.known("X-JSON-Server-Page")
  /// Names the session that a request is for.
  static let session = Self.known("X-JSON-Server-Session")
  static let lastEventID = Self.known("Last-Event-ID")

  /// A name that is written in this file and known to be a token.
  private static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}

extension HTTPFields {
  /// The fields as an object; the values of a name that occurs more than once are joined.
  var members: JSONObject {
    var members = JSONObject()
    for field in self {
      let earlier = members[field.name.rawName]?.string.map { $0 + ", " } ?? ""
      members[field.name.rawName] = .string(earlier + field.value)
    }
    return members
  }
}

extension HTTPFields {
  /// Sets fields, each in place of those with its name.
  mutating func replace(with fields: HTTPFields) {
    for field in fields { self[fields: field.name] = fields[fields: field.name] }
  }
}

extension HTTPFields {
  /// Returns the value of the first field with a name, or `nil`.
  ///
  /// For fields that occur once, on the path of every request: the subscript joins the values of all such fields, which
  /// costs several times as much even when there is one.
  func first(_ name: HTTPField.Name) -> String? {
    first { $0.name == name }?.value
  }

  /// Returns the values of all fields with a name, joined as the subscript joins them, or `nil`.
  ///
  /// For fields that may occur more than once and hardly ever do.
  func joined(_ name: HTTPField.Name) -> String? {
    guard let index = firstIndex(where: { $0.name == name }) else { return nil }
    let isOnly = !self[(index + 1)...].contains { $0.name == name }
    return isOnly ? self[index].value : self[name]
  }
}
