import HTTPTypes
package import JSONServerHTTP
import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers

/// Records the responses of another server in a stubs file.
///
/// The file is written atomically, and before ``record(_:_:from:)`` returns. You may edit the file at the same time:
/// new responses are merged into the edit. While the file is invalid, the recorder writes nothing; it writes all
/// missing responses with the next one.
package actor StubRecorder {
  /// The path of the file.
  package nonisolated let path: String
  /// A version of the file, as it was read or written last.
  private struct Version: Sendable {
    var text: [UInt8]
    let generation: Int

    init(_ file: LoadedFile) {
      text = if case .text(let text) = file.content { Array(text.bytes) } else { [] }
      generation = file.generation
    }
  }

  private let store: FileStore
  private let file: FileStore.File
  private let onFailure: @Sendable (String) -> Void
  private var latest: Version
  private var recording = StubRecording()
  /// Whether a version is being written; later responses are in the next version.
  private var isWriting = false
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private let patterns = NIOLockedValueBox<Set<JSONValue>>([])

  /// Opens an existing stubs file. Blocks until it is read.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - onFailure: Called with a sentence when a response could not be recorded.
  /// - Throws: ``ServerError`` that names the file, and the line and column of an error.
  package init(_ path: String, onFailure: @escaping @Sendable (String) -> Void) throws(ServerError) {
    self.path = path
    self.onFailure = onFailure
    do throws(StorageError) {
      store = FileStore(options: FileStoreOptions(synchronization: .fast, watching: .off)) { _ in }
      let opening = try store.open(path) { text in
        guard try ValidJSON(parsing: Array(text.bytes)).elements != nil else { throw NoStubs() }
        return .text(text)
      }
      file = opening.file
      latest = Version(opening.version)
    } catch {
      throw ServerError(.invalidConfiguration, error.message)
    }
  }

  /// Records a response, unless a stub cannot have such a response.
  ///
  /// - Parameters:
  ///   - request: The request as this server got it, without fields of its connection.
  ///   - response: The other server's response.
  ///   - address: The other server's address.
  package func record(_ request: Request, _ response: Response, from address: UpstreamAddress) async {
    let stub: RecordedStub
    do throws(RecordedStub.Refusal) {
      stub = try RecordedStub(request, response, from: address, filePrefix: filePrefix)
    } catch {
      return onFailure("The response to \(request.method) \(request.path) is not recorded: \(error.reason).")
    }
    if let file = stub.bodyFile, let failure = await write(file.content, to: directory + file.name) {
      return onFailure("\(failure.message) The response to \(request.method) \(request.path) is not recorded.")
    }
    patterns.withLockedValue { _ = $0.insert(stub.pattern) }
    recording.add(stub)
    await write()
  }

  /// Whether this run has recorded responses to a request, so that a stub with this pattern is its own.
  package nonisolated func hasRecorded(_ pattern: RequestPattern) -> Bool {
    patterns.withLockedValue { $0.contains(.object(pattern.members)) }
  }

  /// Writes the responses that are not in the file yet; to another file in the same directory if the stubs file is
  /// invalid. Then closes the file.
  ///
  /// - Returns: A sentence that names the other file, if there is one.
  package func finish() async -> String? {
    defer { store.close() }
    await write()
    guard !recording.isWritten else { return nil }
    let count = recording.unwrittenCount
    let responses = count == 1 ? "1 recorded response" : "\(count) recorded responses"
    let other = freePath
    let text = (try? recording.merged(into: Array("[]\n".utf8))) ?? []
    if let failure = await write(text, to: other) {
      return "\(path) cannot take \(responses), which are lost: \(failure.message)"
    }
    return "\(path) cannot take \(responses), which are in \(other) now: correct the one, and add the other's stubs."
  }

  /// The path of a new file in the same directory.
  private var freePath: String {
    var other = "\(path).recorded"
    var number = 2
    while OpenFile(path: other) != nil {
      other = "\(path).recorded-\(number)"
      number += 1
    }
    return other
  }

  /// Writes the recorded responses. Calls that come during a write share the next one.
  private func write() async {
    while isWriting { await withCheckedContinuation { waiters.append($0) } }
    guard !recording.isWritten else { return }
    isWriting = true
    defer {
      isWriting = false
      for waiter in waiters { waiter.resume() }
      waiters = []
    }
    while true {
      let merged: [UInt8]
      do {
        merged = try recording.merged(into: latest.text)
      } catch {
        return onFailure("\(path): \(error). New responses are written when the file is valid again.")
      }
      let writing = recording
      switch await publish(merged) {
      case .done:
        latest.text = merged
        recording.markWritten(asIn: writing)
        return
      case .moved(to: let source):
        if let file = source.file { latest = Version(file) }
      case .uncertain(let error), .failed(let error):
        return onFailure("\(error.message) New responses are written with the next one.")
      }
    }
  }

  private func publish(_ text: [UInt8]) async -> CommitResult {
    await withCheckedContinuation { continuation in
      let write = FileStore.Write(UTF8Slice(text), to: file, onto: latest.generation)
      store.publish([write]) { continuation.resume(returning: $0) }
    }
  }

  /// - Returns: The error, if writing fails.
  private func write(_ content: [UInt8], to path: String) async -> StorageError? {
    let result = await withCheckedContinuation { continuation in
      store.writeCopy(UTF8Slice(content), to: path, like: file) { continuation.resume(returning: $0) }
    }
    guard case .failure(let error) = result else { return nil }
    return error
  }

  /// The file's directory with a slash; empty for the current directory.
  private nonisolated var directory: String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The file's name without its extension.
  private nonisolated var filePrefix: String {
    let name = path.dropFirst(directory.count)
    return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
  }
}

extension Request {
  /// The same request without conditions and ranges, so that its response is complete and can be recorded.
  package var unconditional: Request {
    var request = self
    for name in [.ifNoneMatch, .ifModifiedSince, .ifRange, .range] as [HTTPField.Name] {
      request.headerFields[name] = nil
    }
    return request
  }
}

/// The recorded responses of a run, and how they become part of a stubs file.
struct StubRecording: Sendable {
  /// The responses to one request, in order.
  private struct Track: Sendable {
    let request: Request
    let whole: JSONValue
    let pattern: JSONValue
    var responses: [JSONObject] = []
    /// The number of times that the last response came.
    var repetitions = 0
    var isWritten = false
  }

  /// The largest number of responses to one request; further ones replace the last.
  static let maximumResponses = 100

  private var tracks: [Track] = []

  /// The number of responses that are not in the file.
  var unwrittenCount: Int { tracks.reduce(0) { $1.isWritten ? $0 : $0 + $1.responses.count } }

  /// Whether all recorded responses are in the file.
  var isWritten: Bool { tracks.allSatisfy(\.isWritten) }

  /// All recorded responses, as stubs in the order of their first requests.
  var stubs: [JSONObject] { tracks.map { Self.stub($0, in: JSONObject([("request", $0.pattern)])) } }

  /// Adds a response to the earlier responses to the same request.
  ///
  /// Repetitions of the last response are added only when another response follows: until then a replay repeats the
  /// last one anyway. Requests that differ only in secrets are the same request in the file, and their responses are no
  /// sequence: the newest response replaces the others. Otherwise a replayed login would always begin with a wrong
  /// password.
  mutating func add(_ stub: RecordedStub) {
    var track = Track(
      request: stub.request, whole: stub.whole, pattern: stub.pattern, responses: [stub.response], repetitions: 1)
    guard let index = tracks.firstIndex(where: { $0.pattern == stub.pattern }) else { return tracks.append(track) }
    if tracks[index].whole != stub.whole {
      track.isWritten = tracks[index].isWritten && tracks[index].responses == track.responses
      tracks[index] = track
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

  /// Records that the file has all responses of an earlier state.
  mutating func markWritten(asIn written: StubRecording) {
    for (index, track) in written.tracks.enumerated() where tracks[index].responses == track.responses {
      tracks[index].isWritten = true
    }
  }

  /// Returns the text of a stubs file with the responses that are not in it yet. The rest of the text stays as it is.
  ///
  /// - Throws: ``JSONError`` when the text is not JSON, ``NoStubs`` when it is not an array.
  func merged(into text: [UInt8]) throws -> [UInt8] {
    try tracks.filter { !$0.isWritten }.reduce(text) { try Self.merged($1, into: $0) }
  }

  /// Replaces the stub with the same request. A stub for a new request is inserted before all stubs that would match
  /// the request.
  private static func merged(_ track: Track, into text: [UInt8]) throws -> [UInt8] {
    let document = try ValidJSON(parsing: text)
    guard let elements = document.elements else { throw NoStubs() }
    let stubs = elements.map { JSONValue($0).object ?? JSONObject() }
    if let index = stubs.firstIndex(where: { $0["request"] == track.pattern }) {
      let range = elements[index].offset..<elements[index].offset + elements[index].count
      return replacing(range, in: text, with: Self.text(of: Self.stub(track, in: stubs[index])))
    }
    let stub = Self.text(of: Self.stub(track, in: JSONObject([("request", track.pattern)])))
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

  /// The members of a stub, with the recorded responses in place of its own.
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

  /// Whether a stub of the file matches a request.
  private static func matches(_ stub: JSONObject, _ request: Request) -> Bool {
    guard let target = try? RequestTarget(request.target),
      let pattern = try? RequestPattern(StrictObject(stub["request"]?.object ?? JSONObject())),
      let matcher = try? RequestMatcher(pattern)
    else { return false }
    let route = EffectiveRoute(method: request.method, target: target, ignoresCase: true)
    return matcher.matches(MatchableRequest(request, route))
  }
}

/// The error for a file that is not an array of stubs.
private struct NoStubs: Error, CustomStringConvertible {
  var description: String { "it must hold an array of stubs, such as []" }
}

extension RequestPattern {
  /// The pattern without parameters and members of the body that are secrets.
  package var withoutSecrets: RequestPattern {
    var pattern = self
    pattern.query.removeAll { SecretName.matches($0.name, with: $0.value ?? "") }
    if let value = body.value { pattern.body = .including(value.withoutSecrets) }
    return pattern
  }
}

/// A request to another server and its response, in the form of a stub, without secrets.
struct RecordedStub: Sendable {
  /// The request, to find the stubs that match it.
  let request: Request
  /// The request as a pattern with its secrets: equal for the same request in any spelling.
  let whole: JSONValue
  /// The stub's `request`, without secrets.
  let pattern: JSONValue
  /// One of the stub's `responses`.
  let response: JSONObject
  /// A body that is not text, which becomes a file of its own.
  let bodyFile: (name: String, content: [UInt8])?

  /// - Parameters:
  ///   - request: The request, with its target as this server got it.
  ///   - response: The other server's response.
  ///   - address: The other server's address.
  ///   - filePrefix: The beginning of the names of files with bodies.
  /// - Throws: The reason why a stub is impossible.
  init(_ request: Request, _ response: Response, from address: UpstreamAddress, filePrefix: String) throws(Refusal) {
    guard case .bytes(let bytes) = response.content, 200...599 ~= response.status.code else {
      throw Refusal(reason: "a stub cannot represent it")
    }
    let whole = try Self.pattern(of: request)
    self.whole = .object(whole.members)
    pattern = .object(whole.withoutSecrets.members)
    self.request = request
    var fields = response.headerFields.passedOn(keepsLength: request.method == .head)
      .filter { !Self.isLeftOut($0) }
    address.moveAddresses(in: &fields, to: "")
    var fixed = FixedResponse(status: response.status == .ok ? nil : response.status, headerFields: fields)
    bodyFile = Self.setBody(of: &fixed, to: bytes, for: request, filePrefix)
    self.response = fixed.members
  }

  /// The reason why a response is not recorded, as a part of a sentence.
  struct Refusal: Error {
    let reason: String
  }

  /// Whether a stub leaves out a field: secrets, fields of this one response, and fields that every stub's response
  /// has. Validators are made again: you would have to change them with every edit of the body.
  private static func isLeftOut(_ field: HTTPField) -> Bool {
    let name = field.name.canonicalName
    return HTTPFields.secretNames.contains(name) || leftOutNames.contains(name) || name.hasPrefix("access-control-")
      || name == "cache-control" && field.value == "no-cache"
  }

  private static let leftOutNames: Set = [
    "age", "alt-svc", "date", "etag", "last-modified", "strict-transport-security", "vary", "via",
  ]

  // MARK: The request

  /// - Throws: The reason why no stub can match the request.
  private static func pattern(of request: Request) throws(Refusal) -> RequestPattern {
    guard let target = try? RequestTarget(request.target) else { throw Refusal(reason: "a stub cannot represent it") }
    var pattern = RequestPattern(request.method, path(of: target))
    pattern.isExact = true
    pattern.query = target.parameters.items.map { RequestPattern.Field($0.name, $0.value) }
    if let body = request.json {
      if case .string(let text) = body, SecretName.isMentioned(in: text) {
        throw Refusal(reason: "the body of its request seems to hold a secret, and is neither JSON nor a form")
      }
      pattern.body = .including(body)
    }
    guard (try? RequestMatcher(pattern)) != nil else { throw Refusal(reason: "a stub cannot represent it") }
    return pattern
  }

  /// The path for a pattern, which decodes it once more: decoded for people, if that changes nothing.
  private static func path(of target: RequestTarget) -> String {
    let decoded = target.path
    if !decoded.contains(where: { "%?#:".contains($0) }), !decoded.hasSuffix("/.") { return decoded }
    return "/" + target.segments.map { PercentEncoding.encodeSegment($0) }.joined(separator: "/")
  }

  // MARK: The body

  /// - Returns: The file with the body, when the stub cannot hold the body.
  private static func setBody(
    of response: inout FixedResponse, to bytes: [UInt8], for request: Request, _ filePrefix: String
  ) -> (name: String, content: [UInt8])? {
    guard !bytes.isEmpty else { return nil }
    let type = response.headerFields[.contentType].map(MediaType.init)
    let isCoded = response.headerFields.contains(.contentEncoding)
    if let type, !isCoded {
      if type.isJSON, let value = try? JSONValue(parsing: bytes) {
        response.body = .json(value)
        // The type that a stub's JSON has by default.
        if response.headerFields[.contentType] == "application/json" { response.headerFields[.contentType] = nil }
        return nil
      }
      if !type.isJSON, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
        response.body = .json(.string(text))
        return nil
      }
    }
    let name = fileName(for: request, bytes, filePrefix)
    response.body = .file(named: name, bytes)
    return (name, bytes)
  }

  /// A name with the file's type, and with a hash of its bytes.
  private static func fileName(for request: Request, _ bytes: [UInt8], _ prefix: String) -> String {
    let last = request.path.split(separator: "/").last.map(String.init) ?? ""
    let kept = last.utf8.filter { ByteSet.words.contains($0) || ".-".utf8.contains($0) }
    let parts = String(decoding: kept, as: UTF8.self).split(separator: ".")
    let hash = String(ContentHash(of: bytes).value, radix: 16)
    let stem = ([prefix] + parts.dropLast(parts.count > 1 ? 1 : 0).map { String($0.prefix(40)) } + [hash])
      .joined(separator: "-")
    return parts.count > 1 ? "\(stem).\(parts[parts.count - 1].prefix(10))" : stem
  }
}
