import HTTPTypes
import JSONDatabase
import JSONServerValues
import NIOConcurrencyHelpers

@testable import JSONServer
@testable import JSONStorage

/// An engine whose commits end as a test decides.
struct EngineFixture {
  let engine: Engine

  private static let ids = IDGenerator { "id" }

  /// - Parameters:
  ///   - commits: How the commits end, one after the other; later ones succeed.
  ///   - knowsEdits: Whether edits that were taken over by then end none of them, as with a file.
  ///   - gate: Holds the commits back.
  ///   - history: Makes the copies of versions that are replaced.
  ///   - loop: Where it lives.
  ///   - isInMemory: Whether there are no commits at all.
  ///   - onEvent: Told of what happens.
  init(
    _ value: JSONValue, commits: [CommitResult] = [], knowsEdits: Bool = false, gate: CommitGate? = nil,
    history: ScriptedHistory = ScriptedHistory(), loop: EventLoopExecutor = EventLoopExecutor(),
    isInMemory: Bool = false,
    onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in },
    configure: (inout Server.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = Server.Configuration(source: .value(value))
    configuration.onEvent = onEvent
    configure(&configuration)
    let source = OpenedSource(
      store: isInMemory ? nil : ScriptedStore(commits, knowsEdits, gate, history),
      database: try Self.database(value), warnings: [])
    engine = Engine(
      configuration, source, policies: HTTPPolicies(configuration), routes: try Routes(configuration),
      stubs: try configuration.openStubs(), ids: Self.ids, loop: loop)
  }

  static func source(_ value: JSONValue, generation: Int) throws -> LoadedSource {
    .file(LoadedFile(.whole(try database(value)), generation: generation))
  }

  private static func database(_ value: JSONValue) throws -> Database {
    try Database(parsing: UTF8Slice(value.utf8Text()), ids: ids)
  }

  /// Brings an edit of the source from outside.
  func edit(_ value: JSONValue, generation: Int) async throws {
    await engine.receive(.changed(try Self.source(value, generation: generation)))
  }

  /// Sends a write, and brings an edit of the source while the commit of the write is in flight.
  func send(_ method: HTTPRequest.Method, _ target: String, beforeEdit source: LoadedSource) async -> Response {
    let request = Self.request((method, target))
    return await withCheckedContinuation { continuation in
      engine.loop.execute {
        engine.respond(to: request, progress: { _ in }) { continuation.resume(returning: $0.response) }
        // The loop runs in order: the commit starts before this, and ends after it.
        engine.loop.execute { engine.assumeIsolated { $0.writes.receive(.changed(source), on: $0) } }
      }
    }
  }

  /// Sends a write, and a second one while the commit of the first is in flight.
  ///
  /// - Returns: The responses, in the order in which they came.
  func send(
    _ method: HTTPRequest.Method, _ target: String, meanwhile other: (method: HTTPRequest.Method, target: String)
  ) async -> [Response] {
    let (answers, answer) = AsyncStream.makeStream(of: Response.self)
    let requests = [Self.request((method, target)), Self.request(other)]
    engine.loop.execute {
      engine.respond(to: requests[0], progress: { _ in }) { answer.yield($0.response) }
      // The loop runs in order: the commit starts before this, and ends after it.
      engine.loop.execute { engine.respond(to: requests[1], progress: { _ in }) { answer.yield($0.response) } }
    }
    return await answers.prefix(2).reduce(into: []) { $0.append($1) }
  }

  func send(_ method: HTTPRequest.Method, _ target: String) async -> Response {
    await send(Self.request((method, target)))
  }

  func send(_ request: Request) async -> Response {
    await withCheckedContinuation { continuation in
      engine.loop.execute {
        engine.respond(to: request, progress: { _ in }) { continuation.resume(returning: $0.response) }
      }
    }
  }

  static func request(_ line: (method: HTTPRequest.Method, target: String)) -> Request {
    Request(method: line.method, target: line.target, headerFields: [.host: "localhost"])
  }

  /// Records of so many words that another thread reads and writes them.
  static func words(_ count: Int) -> JSONValue {
    .array((1...count).map { ["id": .number(JSONNumber($0)), "word": .string("word \($0 % 30)")] })
  }

  var value: JSONValue {
    get async { await engine.database.value }
  }
}

extension Engine {
  /// Whether another thread carries out a change.
  var isChangingMuch: Bool { if case .applying = writes.scheduler.work { true } else { false } }

  fileprivate func receive(_ edit: SourceEdit) { writes.receive(edit, on: self) }

  /// Tries again to take over an edit, as the engine does every second while no copy can be made.
  func retryTakeover() { writes.handle(.retryDue, ofWork: writes.scheduler.workNumber, on: self) }
}

/// Copies of versions that a test holds back, and that end as it decides.
final class ScriptedHistory: Sendable {
  typealias Completion = @Sendable (Result<String, StorageError>) -> Void

  private let isHeld: Bool
  private let waiting = NIOLockedValueBox<[Completion]>([])

  /// - Parameter isHeld: Whether copies wait for ``end(_:)``; else each is made immediately.
  init(isHeld: Bool = false) {
    self.isHeld = isHeld
  }

  fileprivate func save(_ completion: @escaping Completion) {
    guard isHeld else { return completion(.success("history/1.json")) }
    waiting.withLockedValue { $0.append(completion) }
  }

  /// Ends the copies that wait, and returns how many there were.
  @discardableResult
  func end(_ result: Result<String, StorageError>) -> Int {
    let completions = waiting.withLockedValue { waiting in
      defer { waiting = [] }
      return waiting
    }
    for completion in completions { completion(result) }
    return completions.count
  }
}

/// Commits that a test holds back.
final class CommitGate: Sendable {
  private let waiting = NIOLockedValueBox<[@Sendable () -> Void]>([])

  fileprivate func hold(_ end: @escaping @Sendable () -> Void) {
    waiting.withLockedValue { $0.append(end) }
  }

  /// Ends the commits that wait.
  func open() {
    let ends = waiting.withLockedValue { waiting in
      defer { waiting = [] }
      return waiting
    }
    for end in ends { end() }
  }
}

/// Keeps nothing, and ends commits as it was instructed to.
private final class ScriptedStore: Store {
  private let commits: NIOLockedValueBox<[CommitResult]>

  private let knowsEdits: Bool
  private let gate: CommitGate?
  private let history: ScriptedHistory

  init(_ commits: [CommitResult], _ knowsEdits: Bool, _ gate: CommitGate?, _ history: ScriptedHistory) {
    self.knowsEdits = knowsEdits
    self.gate = gate
    self.history = history
    self.commits = NIOLockedValueBox(commits)
  }

  let hasFixedResources = false

  func commit(
    _ version: Database, after base: Database, writing _: Set<Int>, _: [ServerState.Row], age _: Duration,
    completion: @escaping @Sendable (CommitResult) -> Void
  ) {
    let commit = commits.withLockedValue { $0.isEmpty ? .done : $0.removeFirst() }
    guard let gate else { return completion(commit) }
    gate.hold { completion(commit) }
  }

  func adopt(_ source: LoadedSource) {
    guard knowsEdits, case .file(let taken) = source else { return }
    commits.withLockedValue { commits in
      commits.removeAll {
        if case .moved(to: .file(let edit)) = $0 { edit.generation <= taken.generation } else { false }
      }
    }
  }

  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    history.save(completion)
  }

  func writeCopy(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    completion(.failure(StorageError(.unavailable, "Nothing is kept.")))
  }

  func close() {}
}

extension Database {
  /// Whether records are found, created and embedded without reading all ids and members first.
  var isReadAhead: Bool {
    var version = self
    return version.attempt(within: Patience(isShort: true)) { version in
      for name in version.resourceNames { _ = try? version.create(.emptyObject, in: name, ids: IDGenerator { "new" }) }
      _ = version.relations()
    } != nil
  }
}
