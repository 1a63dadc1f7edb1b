import HTTPTypes
import JSONServer
import OrderedJSON

/// Shows events to programs: one JSON object a line.
struct JSONLinesFormatter: EventFormatter {
  /// Whether only errors are shown.
  let isQuiet: Bool

  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String)? {
    if isQuiet {
      guard case .invalid = event else { return nil }
    }
    return switch event {
    case .responded(let exchange): Self.line(RespondedRequest(exchange), time)
    case .reloaded(let resources): Self.line("reloaded", time, [("resources", .array(resources.map(JSONValue.string)))])
    case .invalid(let message): Self.line("invalid", time, [("message", .string(message))])
    case .restored(let path): Self.line("restored", time, [("path", .string(path))])
    case .deleted(let path): Self.line("deleted", time, [("path", .string(path))])
    case .warning(let message): Self.line("warning", time, [("message", .string(message))])
    case .working(let message): Self.line("working", time, [("message", .string(message))])
    case .hint(let message): Self.line("hint", time, [("message", .string(message))])
    }
  }

  func line(for request: RespondedRequest, at time: Timestamp) -> (LogStream, String)? {
    isQuiet ? nil : Self.line(request, time)
  }

  private static func line(_ request: RespondedRequest, _ time: Timestamp) -> (LogStream, String) {
    line(
      "request", time,
      [
        ("method", .string(request.method)), ("path", .string(request.target)),
        ("status", .number(JSONNumber(request.status.code))),
        ("milliseconds", JSONNumber(text: Milliseconds(request.duration).text).map(JSONValue.number) ?? .null),
        ("bytes", .number(JSONNumber(request.bytes))),
      ] + (request.refusedOrigin.map { [("withheldFrom", .string($0))] } ?? []))
  }

  /// The line of an event.
  static func line(_ name: String, _ time: Timestamp, _ members: [(String, JSONValue)]) -> (LogStream, String) {
    let object = JSONObject([("time", .string(time.rfc3339)), ("event", .string(name))] + members)
    return (.output, LogText.escapedInJSON(JSONValue.object(object).text(pretty: false)))
  }
}
