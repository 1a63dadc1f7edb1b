public import HTTPTypes
public import JSONServerHTTP
public import JSONServerValues

/// Responses that a rule makes in place of the data, such as `{"balance": 200}` for `POST /api/v2/purchase`.
public struct Stub: Sendable {
  /// Returns the response to a request, or `nil` to leave the request to later stubs and to the data.
  public typealias Handler = @Sendable (Request) async throws -> Response?

  /// The requests that the stub matches; never requests to `/__admin`.
  public var request: RequestPattern
  /// The number of requests that the stub responds to; `nil` for no limit.
  public var times: Int?
  /// The delay of a response: a random time within the range.
  public var delay: ClosedRange<Duration>?
  /// Header fields for the response of whatever responds, when the stub has none.
  var addedFields: HTTPFields = [:]
  let source: Source

  /// The source of the responses.
  enum Source: Sendable {
    /// Responses in order; the last one repeats. `nil` leaves a request to later stubs and to the data.
    case responses([Response?])
    /// JSON that is filled for each request.
    case shape(JSONValue)
    /// A closure.
    case handler(Handler)
  }

  /// Creates a stub with one response.
  ///
  /// ```swift
  /// Stub(.post("/api/v2/purchase"), .json(["balance": 200]))
  /// ```
  public init(
    _ request: RequestPattern, _ response: Response, times: Int? = nil, delay: ClosedRange<Duration>? = nil
  ) {
    self.init(request, inOrder: [response], times: times, delay: delay)
  }

  /// Creates a stub with several responses in order; the last one repeats.
  ///
  /// ```swift
  /// Stub(.get("/posts"), inOrder: [nil, .status(503), nil])  // the second request fails
  /// ```
  ///
  /// - Parameter responses: The responses; `nil` leaves a request to later stubs and to the data.
  public init(
    _ request: RequestPattern, inOrder responses: [Response?], times: Int? = nil, delay: ClosedRange<Duration>? = nil
  ) {
    self.init(request, .responses(responses), times, delay)
  }

  /// Creates a stub whose JSON is filled from the request and the data; the words are those of a stubs file.
  ///
  /// ```swift
  /// Stub(.get("/users/:id/card"), filling: ["id": "$path.id", "lang": "$query.lang"])
  /// ```
  public init(_ request: RequestPattern, filling json: JSONValue, times: Int? = nil) {
    self.init(request, .shape(json), times, nil)
  }

  /// Creates a stub that adds header fields to the responses of later stubs and of the data.
  ///
  /// ```swift
  /// Stub(.any(), addingHeaders: [.server: "mock"])
  /// ```
  public init(_ request: RequestPattern, addingHeaders fields: HTTPFields, times: Int? = nil) {
    self.init(request, .responses([nil]), times, nil)
    addedFields = fields
  }

  /// Creates a stub with a closure that returns the responses.
  ///
  /// When the closure throws, the response is a 500 with the error's description. The closure runs outside of the server's
  /// event loop; later requests on the same connection wait for it.
  public init(
    _ request: RequestPattern, times: Int? = nil, delay: ClosedRange<Duration>? = nil,
    respond: @escaping Handler
  ) {
    self.init(request, .handler(respond), times, delay)
  }

  private init(_ request: RequestPattern, _ source: Source, _ times: Int?, _ delay: ClosedRange<Duration>?) {
    self.request = request
    self.source = source
    self.times = times
    self.delay = delay
  }
}

/// The stubs of a file: an array of stubs as `/__admin/stubs` takes them, or the exchanges of an HTTP archive.
package struct StubsFile: Sendable {
  package let stubs: [Rule]
  /// The paths of the files that are bodies of responses.
  package let bodyFiles: [String]

  /// Reads a file and its body files. Blocks until that is done.
  ///
  /// - Parameter isIgnored: Whether to leave out a stub with this pattern.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file, and the line and column of an error.
  package init(
    path: String, files: BodyFiles, ignoring isIgnored: ((RequestPattern) -> Bool)? = nil
  ) throws(ServerError) {
    guard let text = OpenFile.contents(of: path) else {
      throw ServerError(
        .invalidConfiguration, "\(path): the file cannot be read; check its name and its permissions.")
    }
    let document: ValidJSON
    do throws(JSONError) {
      document = try ValidJSON(parsing: text)
    } catch {
      throw ServerError(
        .invalidConfiguration, "\(path):\(error.description)", excerpt: Excerpt(of: text, at: error.offset).text)
    }
    let all: [Rule]
    let value = JSONValue(document)
    let archive = HARFile(value)
    do throws(RequestError) {
      all = if let archive { try archive.stubs } else { try Self.stubs(value, files: files) }
    } catch {
      let offset = Self.offset(of: error.place, in: document, text)
      let place = text.withUnsafeBufferPointer { TextPosition(offset: offset, in: $0) }
      throw ServerError(
        .invalidConfiguration, "\(path):\(place.line):\(place.column): \(error.message)",
        excerpt: Excerpt(of: text, at: offset).text)
    }
    stubs = isIgnored.map { isIgnored in all.filter { !isIgnored($0.request) } } ?? all
    let directory = files.directory ?? "."
    let names = all.flatMap(\.effect.responses).compactMap { response in
      if case .file(let name, _)? = response.body { name } else { nil }
    }
    bodyFiles = archive != nil ? [] : Set(names).sorted().map { "\(directory)/\($0)" }
  }

  private static func stubs(_ document: JSONValue, files: BodyFiles) throws(RequestError) -> [Rule] {
    guard let elements = document.array else {
      throw RequestError(.malformed, "The file must hold an array of stubs, such as [], or an HTTP archive (HAR).")
    }
    return try elements.enumerated().map { index, element throws(RequestError) in
      guard let members = element.object else {
        throw RequestError(.malformed, "A stub must be an object.", at: [String(index)])
      }
      return try RequestError.reading([String(index)], Rule(.stub, StrictObject(members), files: files))
    }
  }

  /// The offset of a value in the text, or of its innermost parent that exists.
  private static func offset(of place: [String], in document: ValidJSON, _ text: [UInt8]) -> Int {
    let start = document.withToken { whole in
      var value = whole
      for step in place {
        if let member = value.member(Array(step.utf8)) {
          value = member
        } else if let position = Int(step),
          let element = ArrayReader(value)?.dropFirst(position).first(where: { _ in true })
        {
          value = element
        } else {
          break
        }
      }
      return value.offset(in: whole)
    }
    // The document does not include the white space and the byte order mark before its value.
    return start + (text.firstIndex { $0 > UInt8(ascii: " ") && $0 < 0x80 } ?? 0)
  }
}
