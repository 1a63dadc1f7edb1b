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

/// Finds where two JSON values differ; the order of members and the spelling of numbers make no difference.
enum JSONDifference {
  /// Returns one line for each place where the values differ, with its path; empty when they are the same.
  ///
  /// - Parameter actual: The value received; `nil` when there was none.
  static func lines(expected: JSONValue, actual: JSONValue?, path: String = "body") -> [String] {
    guard let actual else { return ["\(path): expected \(text(expected)), is missing"] }
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)):
      let wanted = expected.flatMap { lines(expected: $0.value, actual: actual[$0.name], path: "\(path).\($0.name)") }
      let others = actual.filter { expected[$0.name] == nil }
      return wanted + others.map { "\(path).\($0.name): not expected, was \(text($0.value))" }
    case (.array(let expected), .array(let actual)):
      let wanted = expected.enumerated().flatMap { index, element in
        lines(expected: element, actual: actual.dropFirst(index).first, path: "\(path)[\(index)]")
      }
      let others = actual.enumerated().dropFirst(expected.count)
      return wanted + others.map { "\(path)[\($0.offset)]: not expected, was \(text($0.element))" }
    case (.number(let expected), .number(let actual)) where expected.doubleValue == actual.doubleValue: return []
    case _ where expected == actual: return []
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
      return ["\(path): expected \(text(expected)), was \(text(actual))"]
    }
  }

  private static func text(_ value: JSONValue) -> String { value.text(pretty: false) }
}
