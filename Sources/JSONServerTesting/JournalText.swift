import HTTPTypes
import JSONServer

/// A journal as a person reads it.
enum JournalText {
  /// The most of a body that a line shows.
  private static let maximumShownCharacters = 300

  /// Returns a line for each exchange.
  static func lines(_ exchanges: [Exchange]) -> String {
    guard !exchanges.isEmpty else { return "No requests came." }
    return "The requests that came:\n" + exchanges.map { "  " + line($0) }.joined(separator: "\n")
  }

  /// `2. POST /bookmarks → 201 {"title":"Swift"}`
  private static func line(_ exchange: Exchange) -> String {
    let request = exchange.request
    let head = "\(exchange.id). \(request.method.rawValue) \(request.target) → \(exchange.response.status.code)"
    return request.body.isEmpty ? head : "\(head) \(shown(request.value?.text(pretty: false) ?? "(binary)"))"
  }

  /// Returns the exchanges with their header fields and bodies.
  static func report(_ exchanges: [Exchange]) -> String {
    exchanges.map { exchange in
      let request = exchange.request
      let response = exchange.response
      return """
        #\(exchange.id) after \(exchange.duration)
        \(request.method.rawValue) \(request.target)
        \(message(request.headerFields, request.body))
        → \(response.status)
        \(message(response.headerFields, response.bytes))
        """
    }.joined(separator: "\n\n")
  }

  private static func message(_ fields: HTTPFields, _ body: [UInt8]) -> String {
    let head = fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    return body.isEmpty ? head : "\(head)\n\n\(String(decoding: body, as: UTF8.self))"
  }

  private static func shown(_ text: String) -> String {
    text.count > maximumShownCharacters ? text.prefix(maximumShownCharacters) + "…" : text
  }
}
