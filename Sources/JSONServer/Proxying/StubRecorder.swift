import HTTPTypes
import JSONStorage
import NIOConcurrencyHelpers
import OrderedJSON

/// Keeps what another server responds in a stubs file.
///
/// The file is written atomically, and whole before ``record(_:_:from:)`` returns. Somebody may edit it meanwhile: what is
/// recorded is merged into the edit. While the file is invalid, nothing is written; what was recorded is with the next
/// response.
package actor StubRecorder {
  /// The path of the file.
  package nonisolated let path: String
  private let store: FileStore<UTF8Slice>
  private let onFailure: @Sendable (String) -> Void
  private var text: [UInt8]
  private var generation: Int
  private var recording = StubRecording()
  /// Whether a version is being written; what is recorded meanwhile is in the next one.
  private var isWriting = false
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private let patterns = NIOLockedValueBox<Set<RequestPattern>>([])

  /// Opens a stubs file, which must be there. Blocks until it is read.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - onFailure: Given a sentence when a response could not be kept.
  /// - Throws: ``ServerError`` that names the file, and the place of a fault in it.
  package init(_ path: String, onFailure: @escaping @Sendable (String) -> Void) throws(ServerError) {
    self.path = path
    self.onFailure = onFailure
    do throws(StorageError) {
      let options = FileStoreOptions(synchronization: .fast, watching: .off)
      let opening = try FileStore.open(path, options: options) { text in
        try Self.check(text)
        return text
      } onEdit: { _ in
      }
      store = opening.store
      text = Array(opening.version.text.bytes)
      generation = opening.version.generation
    } catch {
      throw ServerError(.invalidConfiguration, error.message)
    }
  }

  /// - Throws: ``JSONError`` or ``NoStubs``, when the text is no stubs file.
  private static func check(_ text: UTF8Slice) throws {
    guard try ValidJSON(parsing: Array(text.bytes)).elements != nil else { throw NoStubs() }
  }

  /// Keeps a response. A response that no stub can have is left out.
  ///
  /// - Parameters:
  ///   - request: The request as this server got it, without fields of its connection.
  ///   - response: What the other server responded.
  ///   - address: That server's address.
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

  /// Whether this run has recorded the responses to a request: a stub of the file with this pattern is its own.
  package nonisolated func hasRecorded(_ pattern: RequestPattern) -> Bool {
    patterns.withLockedValue { $0.contains(pattern) }
  }

  /// Writes what is not in the file yet, or keeps it in another file beside it when the file cannot take it.
  ///
  /// - Returns: A sentence that says where it is, when it is not in the file.
  package func finish() async -> String? {
    await write()
    guard !recording.isWritten else { return nil }
    let count = recording.unwrittenCount
    let responses = count == 1 ? "1 recorded response" : "\(count) recorded responses"
    let other = freePath
    let text = (try? recording.merged(into: Array("[]\n".utf8))) ?? []
    if let failure = await write(text, to: other) {
      return "\(path) cannot take \(responses), which are lost: \(failure.message)"
    }
    return "\(path) cannot take \(responses), which are in \(other) now: mend the one, and add the other's stubs."
  }

  /// The path of a file beside the recorder's that is not there.
  private var freePath: String {
    var other = "\(path).recorded"
    var number = 2
    while OpenFile(path: other) != nil {
      other = "\(path).recorded-\(number)"
      number += 1
    }
    return other
  }

  /// Writes what is recorded. Those who come while a version is being written share the next one.
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
        merged = try recording.merged(into: text)
      } catch {
        return onFailure("\(path): \(error). What is recorded is kept until the file is mended.")
      }
      let writing = recording
      switch await publish(merged) {
      case .published:
        text = merged
        recording.markWritten(asIn: writing)
        return
      case .edited(let version):
        text = Array(version.text.bytes)
        generation = version.generation
      case .failed(let error):
        return onFailure("\(error.message) What is recorded is kept until the next response.")
      }
    }
  }

  private func publish(_ text: [UInt8]) async -> Publication<UTF8Slice> {
    await withCheckedContinuation { continuation in
      store.publish(UTF8Slice(text), onto: generation) { continuation.resume(returning: $0) }
    }
  }

  /// - Returns: The failure, if it fails.
  private func write(_ content: [UInt8], to path: String) async -> StorageError? {
    let result = await withCheckedContinuation { continuation in
      store.snapshot(UTF8Slice(content), to: path) { continuation.resume(returning: $0) }
    }
    guard case .failure(let error) = result else { return nil }
    return error
  }

  /// The file's directory with a slash; empty for the current one.
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
  /// The same without conditions and ranges, so that the response to it is a whole one that can be kept.
  package var unconditional: Request {
    var request = self
    for name in [.ifNoneMatch, .ifModifiedSince, .ifRange, .range] as [HTTPField.Name] {
      request.headerFields[name] = nil
    }
    return request
  }
}
