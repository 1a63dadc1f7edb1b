public import HTTPTypes
public import JSONServerValues

// Each kind of response takes the status as a number, or as a constant of HTTPTypes.

extension Response {
  /// A response without a body.
  public static func status(_ status: Int, headers: KeyValuePairs<String, String> = [:]) -> Response {
    Response(status, headers)
  }

  /// A response without a body.
  public static func status(
    _ status: HTTPResponse.Status, headers: KeyValuePairs<String, String> = [:]
  ) -> Response { .status(status.code, headers: headers) }

  /// A response with JSON, as exactly `application/json` unless the headers have another type.
  public static func json(
    _ value: JSONValue, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
  ) -> Response { Response(status, headers, value.utf8Text(.pretty), type: "application/json") }

  /// A response with JSON, as exactly `application/json` unless the headers have another type.
  public static func json(
    _ value: JSONValue, status: HTTPResponse.Status, headers: KeyValuePairs<String, String> = [:]
  ) -> Response { .json(value, status: status.code, headers: headers) }

  /// A response with the JSON of a Swift value. An error of the encoder becomes a 500 that names the value's type and the
  /// error, and in a test an issue where the response is used.
  public static func encoding(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: KeyValuePairs<String, String> = [:],
    encoder: JSONEncoder = JSONEncoder()
  ) -> Response {
    do {
      return .json(try .encoding(value, encoder: encoder), status: status, headers: headers)
    } catch {
      var response = Response.status(.internalServerError)
      response.problem = "A value of the type '\(type(of: value))' cannot be encoded as JSON: \(error)"
      return response
    }
  }

  /// A response with text.
  public static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200,
    headers: KeyValuePairs<String, String> = [:]
  ) -> Response { .data(text.utf8, type: type, status: status, headers: headers) }

  /// A response with text.
  public static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status,
    headers: KeyValuePairs<String, String> = [:]
  ) -> Response { .text(text, type: type, status: status.code, headers: headers) }

  /// A response with bytes.
  public static func data(
    _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: Int = 200,
    headers: KeyValuePairs<String, String> = [:]
  ) -> Response { Response(status, headers, Array(bytes), type: type) }

  /// A response with bytes.
  public static func data(
    _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: HTTPResponse.Status,
    headers: KeyValuePairs<String, String> = [:]
  ) -> Response { .data(bytes, type: type, status: status.code, headers: headers) }

  /// A response whose body arrives piece by piece.
  ///
  /// - Parameters:
  ///   - pieces: The pieces, such as `Data`. A stream without a length counts as endless, such as server-sent events: it ends when the
  ///     client disconnects or the server stops. A stream with a length is sent to its end and cut off at the length.
  ///   - length: The number of all bytes; `nil` when it is unknown.
  ///   - type: The type of the body.
  ///   - headers: Further header fields.
  public static func stream<Piece: Sequence<UInt8> & Sendable>(
    _ pieces: AsyncStream<Piece>, length: Int? = nil, type: String, headers: KeyValuePairs<String, String> = [:]
  ) -> Response {
    var response = Response(200, headers, type: type)
    // Each piece is taken when the client has read the one before: a stream may have no end.
    let bytes = AsyncStream<[UInt8]> {
      for await piece in pieces { return Array(piece) }
      return nil
    }
    response.content = .stream(bytes, length: length)
    return response
  }

  /// A response with server-sent events, each of which is sent when its time has come.
  ///
  /// A client that sends `Last-Event-ID` gets the events after that id, and 204 when no id is left.
  public static func events(
    _ events: [ServerSentEvent], headers: KeyValuePairs<String, String> = [:]
  ) -> Response {
    var response = Response(200, headers, type: "text/event-stream")
    response.content = .events(EventList(events))
    if let problem = events.compactMap(\.problem).first { response.problem = problem }
    return response
  }

  /// No response: the connection stays open and silent.
  public static var hang: Response { Response(delivery: .hang) }

  /// No response: the connection is reset.
  public static var reset: Response { Response(delivery: .reset) }

  /// As a fault, the request is carried out and its change stored, and the connection is reset before the response, as when a
  /// phone leaves the network too early.
  public static var lost: Response { Response(delivery: .lost) }

  /// A response that ends in the middle of its body: as a fault, the response of the data.
  public static var truncated: Response { Response(delivery: .truncated(after: 0)) }

  /// Checks the status and the header fields; an error becomes the response's ``problem``.
  private init(
    _ code: Int, _ headers: KeyValuePairs<String, String>, _ bytes: [UInt8] = [], type: String? = nil
  ) {
    self.init(status: 200...599 ~= code ? HTTPResponse.Status(code: code) : .internalServerError, body: .bytes(bytes))
    if status.code != code { problem = "'status' must be a number from 200 to 599, not \(code)." }
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else {
        problem = "'\(name)' is not the name of a header field."
        continue
      }
      headerFields.append(HTTPField(name: name, value: value))
    }
    if headerFields[.contentType] == nil { headerFields[.contentType] = type }
  }
}
