import HTTPTypes
import JSONDatabase
import NIOConcurrencyHelpers
import OrderedJSON

@testable import JSONServer
@testable import JSONStorage

/// An engine whose commits end as a test wishes.
struct EngineFixture {
  let engine: Engine

  private static let ids = IDGenerator { "id" }

  /// - Parameters:
  ///   - commits: How the commits end, one after the other; later ones succeed.
  ///   - onEvent: Told of what happens.
  init(
    _ value: JSONValue, commits: [Commit] = [], onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in }
  ) throws {
    var configuration = Server.Configuration(source: .value(value))
    configuration.onEvent = onEvent
    let source = OpenedSource(
      persistence: ScriptedPersistence(commits), database: try Self.database(value), warnings: [])
    engine = Engine(configuration, source, gate: try Gate(configuration), ids: Self.ids, loop: EventLoopExecutor())
  }

  static func source(_ value: JSONValue, generation: Int) throws -> LoadedSource {
    LoadedSource(.whole(try database(value)), generation: generation)
  }

  private static func database(_ value: JSONValue) throws -> Database {
    try Database(parsing: UTF8Slice(value.utf8Text()), ids: ids)
  }

  /// Brings an edit of the source from outside.
  func edit(_ value: JSONValue, generation: Int) async throws {
    await engine.take(.changed(try Self.source(value, generation: generation)))
  }

  /// Sends a write, and brings an edit of the source while the commit of the write is in flight.
  func send(_ method: HTTPRequest.Method, _ target: String, beforeEdit source: LoadedSource) async -> Response {
    let request = Request(method: method, target: target, headerFields: [.host: "localhost"])
    return await withCheckedContinuation { continuation in
      engine.loop.execute {
        engine.answer(request) { continuation.resume(returning: $0) }
        // The loop runs in order: the commit starts before this, and ends after it.
        engine.loop.execute { engine.assumeIsolated { $0.take(.changed(source)) } }
      }
    }
  }

  /// Sends a write, and a second one while the commit of the first is in flight.
  ///
  /// - Returns: The answers, in the order they came.
  func send(
    _ method: HTTPRequest.Method, _ target: String, meanwhile other: (method: HTTPRequest.Method, target: String)
  ) async -> [Response] {
    let (answers, answer) = AsyncStream.makeStream(of: Response.self)
    let requests = [(method, target), (other.method, other.target)].map { method, target in
      Request(method: method, target: target, headerFields: [.host: "localhost"])
    }
    engine.loop.execute {
      engine.answer(requests[0]) { answer.yield($0) }
      // The loop runs in order: the commit starts before this, and ends after it.
      engine.loop.execute { engine.answer(requests[1]) { answer.yield($0) } }
    }
    return await answers.prefix(2).reduce(into: []) { $0.append($1) }
  }

  func send(_ method: HTTPRequest.Method, _ target: String) async -> Response {
    let request = Request(method: method, target: target, headerFields: [.host: "localhost"])
    return await withCheckedContinuation { continuation in
      engine.loop.execute { engine.answer(request) { continuation.resume(returning: $0) } }
    }
  }

  var value: JSONValue {
    get async { await engine.database.value }
  }
}

/// Keeps nothing, and ends commits as it was told to.
private final class ScriptedPersistence: Persistence {
  private let commits: NIOLockedValueBox<[Commit]>

  init(_ commits: [Commit]) {
    self.commits = NIOLockedValueBox(commits)
  }

  let hasFixedResources = false

  func commit(_ database: Database, resources: Set<Int>, completion: @escaping @Sendable (Commit) -> Void) {
    completion(commits.withLockedValue { $0.isEmpty ? .done : $0.removeFirst() })
  }

  func adopt(_ source: LoadedSource) {}

  func keep(
    _ database: Database, replacedBy source: LoadedSource,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    completion(.failure(StorageError(.unavailable, "Nothing is kept.")))
  }

  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    completion(.failure(StorageError(.unavailable, "Nothing is kept.")))
  }

  func close() {}
}
