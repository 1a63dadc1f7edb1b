import HTTPTypes
import JSONServer
import JSONServerValues

/// Formats events as lines of the log.
protocol EventFormatter: Sendable {
  /// Returns the line of an event, and its stream.
  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String)

  /// Returns the line of a request that has its response.
  func line(for request: RespondedRequest, at time: Timestamp) -> (LogStream, String)
}

/// The parts of an exchange that a log shows. A line that waits to be printed must not keep the bodies in memory.
struct RespondedRequest: Sendable {
  let method: String
  let target: String
  let status: HTTPResponse.Status
  /// The size of the response's body; an estimate for a body above 1 MiB, which is sent while it is made.
  let bytes: Int
  let duration: Duration
  /// The origin of a page whose browser withholds the response from it; `nil` for every other client.
  let refusedOrigin: String?

  init(_ exchange: Exchange) {
    method = exchange.request.method.rawValue
    target = exchange.shownTarget
    status = exchange.sent.status
    bytes = exchange.sent.estimatedByteCount
    duration = exchange.duration
    refusedOrigin = exchange.sent.refusedOrigin
  }
}

/// Formats events for people: one aligned line for each request, colored by its status.
struct TextFormatter: EventFormatter {
  let style: LogStyle

  /// The width of the longest method, and of the longest event name.
  private static let nameWidth = "reloaded".count

  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String) {
    switch event {
    case .responded(let exchange): line(for: RespondedRequest(exchange), at: time)
    case .working(let message): (.output, note(.blue, "working", LogText.escaped(message), time))
    case .reloaded(let resources):
      (.output, note(.green, "reloaded", resources.map(LogText.escaped).joined(separator: ", "), time))
    case .invalid(let message): (.error, note(.red, "invalid", Self.lines(message), time))
    case .restored(let path):
      (.output, note(.green, "restored", "\(LogText.escaped(path)) can be read again", time))
    case .deleted(let path):
      (
        .error,
        note(
          .yellow, "deleted",
          "\(LogText.escaped(path)) was deleted; its data is still served, and the next write creates the file again",
          time)
      )
    case .warning(let message): (.error, note(.yellow, "warning", LogText.escaped(message), time))
    case .hint(let message): (.output, note(.cyan, "hint", LogText.escaped(message), time))
    }
  }

  func line(for request: RespondedRequest, at time: Timestamp) -> (LogStream, String) {
    let fields = [
      style(.grey, time.clock),
      Self.padded(request.method, Self.nameWidth),
      style(request.refusedOrigin == nil ? Self.emphasis(request.status) : .yellow, "\(request.status.code)"),
      Self.padded(request.duration.millisecondText, 8, alignedRight: true) + " ms",
      Self.padded(LogText.grouped(request.bytes), 9, alignedRight: true) + " B",
      // Last, so that a long target does not move the other columns.
      LogText.readable(request.target) + (request.refusedOrigin.map { "  withheld from \(LogText.escaped($0))" } ?? ""),
    ]
    return (.output, fields.joined(separator: "  "))
  }

  private func note(_ emphasis: LogStyle.Emphasis, _ name: String, _ text: String, _ time: Timestamp) -> String {
    "\(style(.grey, time.clock))  \(style(emphasis, Self.padded(name, Self.nameWidth)))  \(text)"
  }

  /// Escapes the lines of a message, and keeps the line breaks before an excerpt.
  private static func lines(_ message: String) -> String {
    message.split(separator: "\n", omittingEmptySubsequences: false).map { LogText.escaped(String($0)) }
      .joined(separator: "\n")
  }

  private static func emphasis(_ status: HTTPResponse.Status) -> LogStyle.Emphasis {
    switch status.kind {
    case .successful: .green
    case .informational, .redirection: .cyan
    case .clientError: .yellow
    case .serverError, .invalid: .red
    }
  }

  private static func padded(_ text: String, _ width: Int, alignedRight: Bool = false) -> String {
    let space = LogText.padding(of: text, to: width)
    return alignedRight ? space + text : text + space
  }
}

extension Duration {
  /// The duration in milliseconds with two decimals.
  var millisecondText: String {
    let hundredths = components.seconds * 100_000 + components.attoseconds / 10_000_000_000_000
    return "\(hundredths / 100).\(String(hundredths % 100 + 100).dropFirst())"
  }
}

/// The colors of the log.
struct LogStyle: Sendable {
  /// A text style, by its number in ECMA-48.
  enum Emphasis: Int {
    case bold = 1
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case cyan = 36
    case grey = 90
  }

  let isColored: Bool

  func callAsFunction(_ emphasis: Emphasis, _ text: String) -> String {
    isColored ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// Formats events for programs: one JSON object in each line.
struct JSONLinesFormatter: EventFormatter {
  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String) {
    switch event {
    case .responded(let exchange): line(for: RespondedRequest(exchange), at: time)
    case .reloaded(let resources): Self.line("reloaded", time, [("resources", .array(resources.map(JSONValue.string)))])
    case .invalid(let message): Self.line("invalid", time, [("message", .string(message))])
    case .restored(let path): Self.line("restored", time, [("path", .string(path))])
    case .deleted(let path): Self.line("deleted", time, [("path", .string(path))])
    case .warning(let message): Self.line("warning", time, [("message", .string(message))])
    case .working(let message): Self.line("working", time, [("message", .string(message))])
    case .hint(let message): Self.line("hint", time, [("message", .string(message))])
    }
  }

  func line(for request: RespondedRequest, at time: Timestamp) -> (LogStream, String) {
    Self.line(
      "request", time,
      [
        ("method", .string(request.method)), ("path", .string(request.target)),
        ("status", .number(JSONNumber(request.status.code))),
        ("milliseconds", JSONNumber(text: request.duration.millisecondText).map(JSONValue.number) ?? .null),
        ("bytes", .number(JSONNumber(request.bytes))),
      ] + (request.refusedOrigin.map { [("withheldFrom", .string($0))] } ?? []))
  }

  /// The line of an event.
  static func line(_ name: String, _ time: Timestamp, _ members: [(String, JSONValue)]) -> (LogStream, String) {
    let object = JSONObject([("time", .string(time.rfc3339)), ("event", .string(name))] + members)
    return (.output, LogText.escapedInJSON(JSONValue.object(object).text(pretty: false)))
  }
}
