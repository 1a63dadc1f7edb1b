package import HTTPTypes
package import JSONServerHTTP
package import JSONServerValues

/// The response of a stub, a fault or a row of sign-in, as it is read from JSON.
///
/// Unlike a ``Response``, it is shown and shared as JSON, names its body file, may be filled for each request, and is sent any
/// number of times. Its status may be missing: then it is 200, with `retryAfter` 429, or that of the error that it replaces.
package struct FixedResponse: Sendable, Hashable {
  /// The body.
  package enum Body: Sendable, Hashable {
    /// JSON, sent as exactly `application/json`. With another type in ``FixedResponse/headerFields``, a string is sent as
    /// plain text.
    case json(JSONValue)
    /// JSON that is filled for each request, as are the values of ``FixedResponse/headerFields``.
    case shape(Shape)
    /// Bytes; ``FixedResponse/headerFields`` have the type.
    case bytes([UInt8])
    /// The content of a file. Its extension sets the type, unless ``FixedResponse/headerFields`` have one.
    case file(named: String, [UInt8])
    /// Server-sent events.
    case events([ServerSentEvent])
  }

  /// The status; `nil` for the usual one.
  package var status: HTTPResponse.Status?
  /// Header fields, in addition to those of every response.
  var headerFields: HTTPFields = [:]
  /// The body; `nil` for none.
  package var body: Body?
  /// How the response is sent: a truncated one ends in the middle of its body.
  package var delivery = Response.Delivery.normal

  package init(
    status: HTTPResponse.Status? = nil, headerFields: HTTPFields = [:], body: Body? = nil,
    delivery: Response.Delivery = .normal
  ) {
    self.status = status
    self.headerFields = headerFields
    self.body = body
    self.delivery = delivery
  }
}

extension FixedResponse {
  /// Creates a fixed response from a response of Swift code; without a status when its delivery is not `normal`.
  ///
  /// - Throws: 400 for an invalid response, and for a stream, which can be sent only once.
  package init(_ response: Response) throws(RequestError) {
    if let problem = response.problem { throw RequestError(.malformed, problem) }
    guard response.delivery != .lost else {
      throw RequestError(.malformed, "Only a fault loses the response of the data; use Fault(…, .lost).")
    }
    let body: Body?
    switch response.content {
    case .bytes(let bytes): body = bytes.isEmpty ? nil : .bytes(bytes)
    case .events(let list): body = .events(list.events)
    case .stream, .slices:
      throw RequestError(.malformed, "A stream is sent once; respond with a closure that makes one each time.")
    }
    self.init(
      status: response.delivery == .normal ? response.status : nil, headerFields: response.headerFields,
      body: body, delivery: response.delivery)
    // Shown and shared as JSON, the body keeps its spelling.
    if headerFields[.contentType] == "application/json", let value = response.json {
      self.body = .json(value)
      headerFields[.contentType] = nil
    }
  }

  /// The response that clients get.
  var prepared: PreparedResponse {
    // The next response may differ, so clients must not cache this one.
    var fields: HTTPFields = [.cacheControl: "no-cache"]
    var content = Response.Content.bytes([])
    switch body {
    // A shape becomes JSON before that.
    case nil, .shape: break
    case .json(.string(let text)) where headerFields[.contentType].map({ !MediaType($0).isJSON }) == true:
      content = .bytes(Array(text.utf8))
    case .json(let value):
      fields[.contentType] = "application/json"
      content = .bytes(value.utf8Text(.pretty))
    case .bytes(let bytes): content = .bytes(bytes)
    case .file(let name, let bytes):
      fields[.contentType] = FileType.contentType(ofFileNamed: name)
      content = .bytes(bytes)
    case .events(let events):
      fields[.contentType] = "text/event-stream"
      content = .events(EventList(events))
    }
    fields.replace(with: headerFields)
    var response = PreparedResponse(
      status: (status ?? .ok).withPhrase, headerFields: fields, body: content, delivery: delivery)
    if case .truncated = delivery { response.cut() }
    return response
  }

  /// The response to one request.
  ///
  /// - Parameter values: Returns the values of the words of a shape.
  package func filled(from values: (String) -> JSONValue?) -> FixedResponse {
    guard case .shape(let shape) = body else { return self }
    var filled = self
    filled.body = .json(shape.filled(from: values) ?? .null)
    filled.headerFields = HTTPFields(
      headerFields.map { HTTPField(name: $0.name, value: Shape.text($0.value, filledFrom: values)) })
    return filled
  }

  /// The response to one request, with the header fields and the layout of the data's responses.
  ///
  /// - Parameter status: The status of a response without one of its own.
  package func likeData(
    status other: HTTPResponse.Status, filledFrom values: (String) -> JSONValue?
  ) -> PreparedResponse {
    let filled = filled(from: values)
    let status = (status ?? other).withPhrase
    var response = PreparedResponse(status: status)
    if case .json(let value)? = filled.body { response = .json(value, status: status) }
    response.headerFields.replace(with: filled.headerFields)
    return response
  }

  /// Whether a shape, or a header field beside it, has a word with this name.
  package func uses(_ word: String) -> Bool {
    guard case .shape(let shape)? = body else { return false }
    return shape.uses(word) || headerFields.contains { Shape.uses(word, in: .string($0.value)) }
  }

  static let memberNames: Set = ["status", "headers", "body", "shape", "bodyFile", "events"]

  /// Reads the members of a response from a body.
  ///
  /// - Parameters:
  ///   - files: The files that `bodyFile` may name.
  ///   - words: The names that a shape may use.
  /// - Throws: 400 that names the invalid member.
  package init(
    _ object: StrictObject, files: BodyFiles, words: [String] = Shape.wordsOfStubs
  ) throws(RequestError) {
    let status = try object.integer("status", in: 200...599).map { HTTPResponse.Status(code: $0) }
    self.init(
      status: status, headerFields: try Self.headerFields(object, "headers"), body: object.member("body").map(Body.json)
    )
    let bodies = ["body", "shape", "bodyFile", "events"].filter { $0 == "body" ? body != nil : object.value($0) != nil }
    guard bodies.count < 2 else {
      throw object.refusal(of: bodies[1], "contradicts \(bodies[0]); give one of the two.")
    }
    if let value = object.value("shape") {
      try RequestError.reading(object.place, Shape.check(.array(headerFields.map { .string($0.value) }), words))
      body = .shape(try RequestError.reading(object.place + ["shape"], Shape(value, words: words)))
    }
    if let events = try Self.events(object) { body = .events(events) }
    guard let name = try object.string("bodyFile") else { return }
    body = .file(named: name, try RequestError.reading(object.place, files.read(name)))
  }

  /// The header fields in a member: names, and one or several values each.
  static func headerFields(_ object: StrictObject, _ name: String) throws(RequestError) -> HTTPFields {
    let error = object.wrong(name, "an object of field names and strings")
    guard let value = object.value(name) else { return [:] }
    guard let members = value.object else { throw error }
    var fields: HTTPFields = [:]
    for (name, value) in members {
      guard let name = HTTPField.Name(name) else { throw error }
      for value in value.array ?? [value] {
        guard let text = value.string else { throw error }
        fields.append(HTTPField(name: name, value: text))
      }
    }
    return fields
  }

  /// Reads events: a text, or an object with at least one of `data`, `event`, `id` and `after`.
  private static func events(_ object: StrictObject) throws(RequestError) -> [ServerSentEvent]? {
    guard let value = object.value("events") else { return nil }
    guard let values = value.array else { throw object.wrong("events", "an array of texts and objects") }
    var events: [ServerSentEvent] = []
    for (index, value) in values.enumerated() {
      let place = object.place + ["events", "\(index)"]
      var event = ServerSentEvent(value.string ?? "")
      if let members = value.object {
        let body = StrictObject(members, at: place)
        try body.allow(only: ["data", "event", "id", "after"])
        let data = body.member("data")
        event.data = data?.plainText ?? ""
        (event.event, event.id) = (try body.string("event"), try body.string("id"))
        event.delay = .milliseconds(try body.integer("after", in: 0...600_000) ?? 0)
      } else if value.string == nil {
        throw RequestError(.malformed, "An event must be a text or an object.", at: place)
      }
      if let problem = event.problem { throw RequestError(.malformed, problem, at: place) }
      events.append(event)
    }
    return events
  }

  /// The response as JSON, in the form in which it is read; bytes that are not text are null.
  var members: JSONObject {
    var members = JSONObject()
    members["status"] = status.map { .number(JSONNumber($0.code)) }
    members["headers"] = Self.members(of: headerFields)
    switch body {
    case nil: break
    case .json(let value): members["body"] = value
    case .shape(let shape): members["shape"] = shape.value
    case .events(let events): members["events"] = .array(events.map(\.value))
    case .file(let name, _): members["bodyFile"] = .string(name)
    case .bytes(let bytes): members["body"] = String(validating: bytes, as: UTF8.self).map(JSONValue.string) ?? .null
    }
    if delivery != .normal { members["action"] = .string(delivery.name) }
    return members
  }

  /// Header fields as JSON, in the form in which they are read; `nil` for none.
  static func members(of fields: HTTPFields) -> JSONValue? {
    guard !fields.isEmpty else { return nil }
    var values: [HTTPField.Name: [JSONValue]] = [:]
    for field in fields { values[field.name, default: []].append(.string(field.value)) }
    return .object(
      JSONObject(
        values.sorted { $0.key.rawName < $1.key.rawName }.map { name, values in
          (name.rawName, values.count == 1 ? values[0] : .array(values))
        }))
  }
}

extension ServerSentEvent {
  /// The event as JSON, in the form in which it is read.
  fileprivate var value: JSONValue {
    var members = JSONObject()
    if delay != .zero { members["after"] = JSONValue(rounding: delay / .milliseconds(1)) }
    members["event"] = event.map { .string($0) }
    members["id"] = id.map { .string($0) }
    if members.isEmpty { return .string(data) }
    if !data.isEmpty { members["data"] = .string(data) }
    return .object(members)
  }
}

/// The files that may be bodies of responses: those in the directory of the stubs file and below it.
package struct BodyFiles: Sendable {
  /// The directory of the stubs file; `nil` without a stubs file.
  let directory: String?
  /// The contents of files that another server has read and shares, by name.
  var contents: [String: [UInt8]] = [:]
  /// The files that are never sent.
  var privateFiles: [PrivateFile] = []

  package init(directory: String?, contents: [String: [UInt8]] = [:], privateFiles: [PrivateFile] = []) {
    self.directory = directory
    self.contents = contents
    self.privateFiles = privateFiles
  }

  /// Reads a file.
  ///
  /// - Throws: 400 for a name outside of the directory, and for a file that cannot be read.
  func read(_ name: String) throws(RequestError) -> [UInt8] {
    if let bytes = contents[name] { return bytes }
    guard let directory else {
      throw Self.refusal(
        "needs Server.Configuration.stubsFile: the file is looked up beside the stubs file, and there is none.")
    }
    let segments = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard !segments.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else {
      throw Self.refusal("'\(name)' must be a path within the directory of the stubs file, without hidden names.")
    }
    guard let file = StaticDirectory(path: directory, privateFiles: privateFiles).open(segments), file.isRegular else {
      throw Self.refusal("'\(name)' leads to no file within '\(directory)', beside the stubs file.")
    }
    let bytes = file.read(from: 0, count: file.size)
    guard bytes.count == file.size else { throw Self.refusal("'\(name)' cannot be read.") }
    return bytes
  }

  private static func refusal(_ sentence: String) -> RequestError {
    RequestError(.malformed, "'bodyFile' \(sentence)", at: ["bodyFile"])
  }
}
