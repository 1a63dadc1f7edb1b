import HTTPTypes
import JSONServer

/// Sends requests with curl, so that the executable needs neither a client nor a TLS library. The machine's proxies and
/// certificates apply.
struct Curl: Sendable {
  /// The reason why there is no response.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The time limit of a response.
  var timeout = Duration.seconds(60)
  /// The largest body of a response, in bytes.
  var maximumBytes: Int
  /// The option that sets this limit, for the message about a larger response.
  var limitName = "--max-body"

  /// Sends a request and waits for the response. When the task is canceled, curl ends.
  ///
  /// - Throws: ``Failure`` with curl's message, `Upstream.Failure.timeout`, or `CancellationError`.
  func send(_ request: Request, to address: String) async throws -> Response {
    let body = request.bytes.isEmpty ? nil : TemporaryFile(request.bytes)
    if body == nil, !request.bytes.isEmpty { throw Failure(description: "No temporary file can be made for its body.") }
    defer { body?.remove() }
    // The head has a file of its own: within the body, trailers could not be recognized.
    guard let head = TemporaryFile([]) else {
      throw Failure(description: "No temporary file can be made for its response.")
    }
    defer { head.remove() }
    // For a HEAD request, curl also writes the head to standard output.
    let isHead = request.method == .head
    let limit = isHead ? Self.maximumHeadBytes : maximumBytes
    let options = options(for: request, address, headPath: head.path, bodyPath: body?.path)
    let output = await Self.run(options, errors: .apart, maximumBytes: limit)
    try Task.checkCancellation()
    guard let output else { throw Failure(description: "curl is not in PATH; install it.") }
    guard output.status != 63, output.bytes.count <= limit else {
      throw Failure(description: "The response has more than \(maximumBytes) bytes (\(limitName)).")
    }
    guard output.status != 28 else { throw Upstream.Failure.timeout }
    guard output.status == 0 else { throw Failure(description: Self.sentence(output)) }
    guard let head = ResponseHead(FileText.contents(of: head.path) ?? []) else {
      throw Failure(description: "It did not respond in HTTP.")
    }
    return Response(status: head.status, headerFields: head.fields, body: .bytes(isHead ? [] : output.bytes))
  }

  private static let maximumHeadBytes = 512 * 1024

  /// Curl's message for a failure: `curl: (7) Failed to connect to localhost port 9 …`.
  private static func sentence(_ output: Program.Output) -> String {
    let lines = String(decoding: output.errors, as: UTF8.self).split(separator: "\n")
    guard let line = lines.last(where: { $0.hasPrefix("curl: (") }), let mark = line.firstRange(of: ") ")
    else { return "curl ended with exit code \(output.status)." }
    let reason = line[mark.upperBound...]
    return reason.hasSuffix(".") ? String(reason) : "\(reason)."
  }

  // MARK: What curl reads

  /// Runs curl.
  ///
  /// - Parameter options: Lines in the language of curl's configuration files. curl reads them from standard input:
  ///   other users of the machine can see the arguments of a program, but not its input.
  /// - Returns: `nil` when there is no curl.
  static func run(
    _ options: [String], errors: Program.ErrorStream = .standardError, maximumBytes: Int = .max
  ) async -> Program.Output? {
    await Program(
      // `--disable` must be the first argument: otherwise the user's own configuration of curl applies, too.
      arguments: ["curl", "--disable", "--config", "-"], input: Array(options.map { "\($0)\n" }.joined().utf8),
      errors: errors, maximumBytes: maximumBytes
    ).run()
  }

  private func options(
    for request: Request, _ address: String, headPath: String, bodyPath: String?
  ) -> [String] {
    let isHead = request.method == .head
    var lines = [
      "silent", "show-error", "globoff", "path-as-is", "no-location", "no-fail", "suppress-connect-headers",
      Self.option("proto", "=http,https"), Self.option("url", address), Self.option("dump-header", headPath),
      Self.option("max-time", "\(max(timeout / .seconds(1), 0.001))"),
    ]
    // curl takes the length in the head of a response for the size of its body, also where no body follows.
    lines +=
      isHead
      ? ["head"]
      : [Self.option("request", request.method.rawValue), Self.option("max-filesize", "\(maximumBytes)")]
    if let bodyPath, !isHead { lines.append(Self.option("data-binary", "@\(bodyPath)")) }
    // Some servers refuse these methods without a length.
    if bodyPath == nil, [.post, .put, .patch].contains(request.method) { lines.append(Self.option("data-binary", "")) }
    for field in request.headerFields {
      // curl leaves out a field without a value unless the line ends with a semicolon.
      let text = field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)"
      lines.append(Self.option("header", text))
    }
    // The fields that curl would add itself.
    for name in [.accept, .userAgent, .contentType, .expect] as [HTTPField.Name]
    where !request.headerFields.contains(name) {
      lines.append(Self.option("header", "\(name.rawName):"))
    }
    return lines
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "\"": #"\""#, "\\": #"\\"#, "\t": #"\t"#, "\n": #"\n"#, "\r": #"\r"#,
  ]

  /// A line with an option and its value.
  static func option(_ name: String, _ value: String) -> String {
    // By Unicode scalars: a combining character after a quote forms one character with it.
    let escaped = value.unicodeScalars.map { escapes[$0] ?? String($0) }
    return "\(name) = \"\(escaped.joined())\""
  }
}

/// The head of a response as curl writes it: up to an empty line; trailers may follow.
struct ResponseHead {
  let status: HTTPResponse.Status
  let fields: HTTPFields

  /// Reads a head; skips heads with a status from 100 to 199 before it.
  ///
  /// - Returns: `nil` when the bytes are not a response.
  init?(_ bytes: [UInt8]) {
    // Each line and each head has an end, after which nothing follows the last one.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    for head in lines.split(separator: "", omittingEmptySubsequences: false).dropLast() {
      guard let status = Self.status(head.first ?? "") else { return nil }
      guard status.code >= 200 else { continue }
      self.status = status
      fields = HTTPFields(head.dropFirst().compactMap(Self.field))
      return
    }
    return nil
  }

  /// Parses `HTTP/1.1 404 Not Found`; HTTP/2 has no phrase.
  private static func status(_ line: String) -> HTTPResponse.Status? {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/"), let code = Int(parts[1]), 100...999 ~= code else { return nil }
    return HTTPResponse.Status(code: code, reasonPhrase: parts.count > 2 ? String(parts[2]) : "")
  }

  private static func field(_ line: String) -> HTTPField? {
    // By bytes: a combining character after a colon or a space forms one character with it.
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), let name = HTTPField.Name(String(line[..<colon]))
    else { return nil }
    let value = line.utf8[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return HTTPField(name: name, value: String(Substring(value)))
  }
}
