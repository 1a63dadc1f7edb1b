import HTTPTypes
import JSONServer
import OrderedJSON

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
    let head = "\(exchange.id). \(request.method.rawValue) \(request.target) → \(outcome(of: exchange))"
    return request.body.isEmpty ? head : "\(head) \(shown(request.value?.text(pretty: false) ?? "(binary)"))"
  }

  /// The status, or what became of the response in its place.
  private static func outcome(of exchange: Exchange) -> String {
    switch (exchange.state, exchange.response.delivery) {
    case (.received, _): "no response yet, the request is held"
    case (.responded, .normal): String(exchange.response.status.code)
    case (.responded, .hang): "no response (hung)"
    case (.responded, .reset): "connection reset"
    case (.responded, .truncated): "\(exchange.response.status.code), truncated"
    }
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
        → \(outcome(of: exchange))
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
