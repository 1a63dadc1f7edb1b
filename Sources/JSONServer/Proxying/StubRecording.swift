import OrderedJSON

/// What a run has recorded, and how it becomes part of a stubs file.
struct StubRecording: Sendable {
  /// The responses to one request, in order.
  private struct Track: Sendable {
    var request: Request
    let pattern: RequestPattern
    var responses: [JSONObject] = []
    /// How many times the last one came.
    var repetitions = 0
    var isWritten = false
  }

  /// The most responses to one request that are kept; the newest takes the place of the last one then.
  static let maximumResponses = 100

  private var tracks: [Track] = []

  /// How many responses are not in the file.
  var unwrittenCount: Int { tracks.reduce(0) { $1.isWritten ? $0 : $0 + $1.responses.count } }

  /// Whether all that was recorded is in the file.
  var isWritten: Bool { tracks.allSatisfy(\.isWritten) }

  /// Adds a response to those that its request got before.
  ///
  /// A response that repeats the last one is kept when another one follows: until then the last is sent again and again.
  /// Requests that differ in secrets alone cannot be told apart afterwards, and are no sequence: to all of them, what the
  /// newest got is the response. A wrong password would otherwise be what a login begins with for ever.
  mutating func add(_ stub: RecordedStub) {
    guard let index = tracks.firstIndex(where: { $0.pattern == stub.pattern }) else {
      tracks.append(Track(request: stub.request, pattern: stub.pattern, responses: [stub.response], repetitions: 1))
      return
    }
    if tracks[index].request.target != stub.request.target || tracks[index].request.body != stub.request.body {
      let isSame = tracks[index].responses == [stub.response]
      tracks[index] = Track(
        request: stub.request, pattern: stub.pattern, responses: [stub.response], repetitions: 1,
        isWritten: isSame && tracks[index].isWritten)
      return
    }
    if tracks[index].responses.last == stub.response {
      tracks[index].repetitions += 1
      return
    }
    if let last = tracks[index].responses.last {
      let room = Self.maximumResponses - tracks[index].responses.count
      tracks[index].responses += Array(repeating: last, count: max(min(tracks[index].repetitions - 1, room), 0))
    }
    if tracks[index].responses.count >= Self.maximumResponses { tracks[index].responses.removeLast() }
    tracks[index].responses.append(stub.response)
    tracks[index].repetitions = 1
    tracks[index].isWritten = false
  }

  /// Remembers that the file holds what an earlier state of this had recorded.
  mutating func markWritten(asIn written: StubRecording) {
    for (index, track) in written.tracks.enumerated() where tracks[index].responses == track.responses {
      tracks[index].isWritten = true
    }
  }

  /// Returns the text of a stubs file with what is recorded and not in it yet. All else of it stays as it is.
  ///
  /// - Throws: ``JSONError`` when the text is not JSON, ``NoStubs`` when it is no array.
  func merged(into text: [UInt8]) throws -> [UInt8] {
    try tracks.filter { !$0.isWritten }.reduce(text) { try Self.merged($1, into: $0) }
  }

  /// Puts a stub in the place of the one of the same request or, for a request without one, where no other takes it.
  private static func merged(_ track: Track, into text: [UInt8]) throws -> [UInt8] {
    let document = try ValidJSON(parsing: text)
    guard let elements = document.elements else { throw NoStubs() }
    let stubs = elements.map { JSONValue($0).object ?? JSONObject() }
    let pattern = JSONValue.object(track.pattern.members)
    if let index = stubs.firstIndex(where: { $0["request"] == pattern }) {
      let range = elements[index].offset..<elements[index].offset + elements[index].count
      return replacing(range, in: text, with: Self.text(of: Self.stub(track, in: stubs[index])))
    }
    let stub = Self.text(of: Self.stub(track, in: JSONObject([("request", pattern)])))
    if let index = stubs.firstIndex(where: { matches($0, track.request) }) {
      return replacing(elements[index].offset..<elements[index].offset, in: text, with: stub + Array(",\n  ".utf8))
    }
    guard let last = elements.last else {
      let range = document.offset..<document.offset + document.count
      return replacing(range, in: text, with: Array("[\n  ".utf8) + stub + Array("\n]".utf8))
    }
    let end = last.offset + last.count
    return replacing(end..<end, in: text, with: Array(",\n  ".utf8) + stub)
  }

  /// The members of a stub, with the recorded responses in the place of its own.
  private static func stub(_ track: Track, in members: JSONObject) -> JSONObject {
    var members = members
    members["response"] = track.responses.count == 1 ? .object(track.responses[0]) : nil
    members["responses"] = track.responses.count == 1 ? nil : .array(track.responses.map { .object($0) })
    return members
  }

  private static func text(of stub: JSONObject) -> [UInt8] {
    var text: [UInt8] = []
    JSONFormatter(.pretty).append(ValidJSON(writing: .object(stub)), level: 1, to: &text)
    return text
  }

  private static func replacing(_ range: Range<Int>, in text: [UInt8], with part: [UInt8]) -> [UInt8] {
    text[..<range.lowerBound] + part + text[range.upperBound...]
  }

  /// Whether a stub of the file would take a request.
  private static func matches(_ stub: JSONObject, _ request: Request) -> Bool {
    guard let target = try? ParsedTarget(request.target),
      let pattern = try? RequestPattern(AdminBody(stub["request"]?.object ?? JSONObject())),
      let matcher = try? RequestMatcher(pattern)
    else { return false }
    let route = EffectiveRoute(
      method: request.method, text: request.target, target: target, mountedTarget: request.target, ignoresCase: true)
    return matcher.matches(MatchableRequest(request, route))
  }
}

/// A file that holds no array of stubs.
struct NoStubs: Error, CustomStringConvertible {
  var description: String { "it must hold an array of stubs, such as []" }
}
