import HTTPTypes
import JSONServer
import JSONServerValues

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

/// Formats events as lines of the log: for people one aligned line for each request, colored by its status; for programs
/// one JSON object in each line.
struct EventFormatter: Sendable {
  let format: LogFormat
  let style: LogStyle

  /// The width of the longest method, and of the longest event name.
  private static let nameWidth = "reloaded".count

  /// Returns the line of an event, and its stream.
  func line(for event: ServerEvent, at time: Timestamp) -> (LogStream, String) {
    switch event {
    case .responded(let exchange): line(for: RespondedRequest(exchange), at: time)
    case .working(let message): note(.blue, "working", message, time)
    case .reloaded(let resources):
      note(
        .green, "reloaded", resources.joined(separator: ", "), time,
        ("resources", .array(resources.map(JSONValue.string))))
    case .invalid(let message): note(.red, "invalid", message, time, on: .error)
    case .restored(let path): note(.green, "restored", "\(path) can be read again", time, ("path", .string(path)))
    case .deleted(let path):
      note(
        .yellow, "deleted",
        "\(path) was deleted; its data is still served, and the next write creates the file again", time,
        ("path", .string(path)), on: .error)
    case .warning(let message): note(.yellow, "warning", message, time, on: .error)
    case .hint(let message): note(.cyan, "hint", message, time)
    }
  }

  /// Returns the line of a request that has its response.
  func line(for request: RespondedRequest, at time: Timestamp) -> (LogStream, String) {
    guard format == .text else {
      let number = JSONNumber(text: request.duration.millisecondText)
      return Self.jsonLine(
        "request", time,
        [
          ("method", .string(request.method)), ("path", .string(request.target)),
          ("status", .number(JSONNumber(request.status.code))),
          ("milliseconds", number.map(JSONValue.number) ?? .null), ("bytes", .number(JSONNumber(request.bytes))),
        ] + (request.refusedOrigin.map { [("withheldFrom", .string($0))] } ?? []))
    }
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

  /// Returns the line of an event that is not a request.
  ///
  /// - Parameters:
  ///   - member: What a program gets; `nil` for the text.
  ///   - stream: The stream for people; programs read all lines from standard output.
  private func note(
    _ emphasis: LogStyle.Emphasis, _ name: String, _ text: String, _ time: Timestamp,
    _ member: (String, JSONValue)? = nil, on stream: LogStream = .output
  ) -> (LogStream, String) {
    guard format == .text else { return Self.jsonLine(name, time, [member ?? ("message", .string(text))]) }
    // Only an invalid file has an excerpt, whose line breaks stay.
    let lines = name == "invalid" ? text.split(separator: "\n", omittingEmptySubsequences: false) : [text[...]]
    let shown = lines.map { LogText.escaped(String($0)) }.joined(separator: "\n")
    let title = style(emphasis, Self.padded(name, Self.nameWidth))
    return (stream, "\(style(.grey, time.clock))  \(title)  \(shown)")
  }

  /// Returns the line of an event as a JSON object.
  static func jsonLine(
    _ name: String, _ time: Timestamp, _ members: [(String, JSONValue)]
  ) -> (LogStream, String) {
    let object = JSONObject([("time", .string(time.rfc3339)), ("event", .string(name))] + members)
    return (.output, LogText.escapedInJSON(JSONValue.object(object).text(pretty: false)))
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
