import HTTPTypes

extension HTTPField.Name {
  static let xTotalCount = Self.known("X-Total-Count")
  static let link = Self.known("Link")
  static let methodOverride = Self.known("X-HTTP-Method-Override")
  static let host = Self.known("Host")
  static let lastEventID = Self.known("Last-Event-ID")

  /// A name that is written in this file and known to be a token.
  private static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}
