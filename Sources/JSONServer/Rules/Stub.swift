import HTTPTypes
import JSONServerValues

/// Fixed responses, which do not depend on the data, such as `{"balance": 200}` for `POST /api/v2/purchase`.
public struct Stub: Sendable {
  /// Makes a response when a request comes; `nil` leaves the request to the stubs after this one, and to the data.
  public typealias Handler = @Sendable (Request) async throws -> Response?

  /// The requests it matches; none to `/__admin`.
  public var request: RequestPattern
  /// How many requests it matches before it is gone; `nil` for no end.
  public var times: Int?
  /// How long its responses wait; a length within the range is chosen for each.
  public var delay: ClosedRange<Duration>?
  let source: Source

  /// Where its responses come from.
  enum Source: Sendable {
    /// These in order, the last one again and again.
    case responses([Response])
    /// What a closure makes.
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

  /// Creates a stub whose responses come in order, the last one again and again.
  public init(
    _ request: RequestPattern, inOrder responses: [Response], times: Int? = nil, delay: ClosedRange<Duration>? = nil
  ) {
    self.init(request, .responses(responses), times, delay)
  }

  /// Creates a stub whose responses a closure makes.
  ///
  /// An error that the closure throws becomes a 500 with its description. The closure runs beside the server's event loop; the
  /// requests after it on a connection wait.
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

/// The stubs of a file: an array of what is sent to `/__admin/stubs`, or the exchanges of an HTTP archive.
struct StubsFile: Sendable {
  let stubs: [Rule]
  /// The files whose contents the stubs have as bodies.
  let bodyFiles: [String]

  /// Reads a file, and those that it names. Blocks until that is done.
  ///
  /// - Parameter isIgnored: Whether stubs with a pattern are left out.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file, and the place of a fault in it.
  init(
    path: String, files: BodyFiles, ignoring isIgnored: ((RequestPattern) -> Bool)? = nil
  ) throws(ServerError) {
    guard let file = OpenFile(path: path), file.isRegular else {
      throw ServerError(
        .invalidConfiguration, "\(path): the file cannot be read; check its name and its permissions.")
    }
    let text = file.read(from: 0, count: file.size)
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
    bodyFiles = archive != nil ? [] : Set(all.flatMap { $0.bodyFiles }).sorted().map { "\(directory)/\($0)" }
  }

  private static func stubs(_ document: JSONValue, files: BodyFiles) throws(RequestError) -> [Rule] {
    guard let elements = document.array else {
      throw RequestError(.malformed, "The file must hold an array of stubs, such as [], or an HTTP archive (HAR).")
    }
    return try elements.enumerated().map { index, element throws(RequestError) in
      guard let members = element.object else {
        throw RequestError(.malformed, "A stub must be an object.", at: [String(index)])
      }
      do throws(RequestError) {
        return try Rule(.stub, AdminBody(members), files: files)
      } catch {
        throw RequestError(error.code, error.message, at: [String(index)] + error.place)
      }
    }
  }

  /// Where a value is in the text: the innermost that exists on the way to it.
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
    // The document is the text without the white space and the byte order mark before its value.
    return start + (text.firstIndex { $0 > UInt8(ascii: " ") && $0 < 0x80 } ?? 0)
  }
}

extension Rule {
  /// The names of the files whose contents it has as bodies.
  fileprivate var bodyFiles: [String] {
    effect.responses.compactMap { if case .file(let name, _)? = $0.body { name } else { nil } }
  }
}
