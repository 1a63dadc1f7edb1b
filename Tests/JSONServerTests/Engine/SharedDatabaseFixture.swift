import HTTPTypes
import JSONDatabase
import JSONStorage
import NIOConcurrencyHelpers
import OrderedJSON

@testable import JSONServer

/// A database in memory that several servers share, as they share one of PostgreSQL.
final class SharedDatabaseFixture: Sendable {
  private let state = NIOLockedValueBox(SharedDatabaseState())

  /// Makes all that is asked fail, or with `nil` succeed again.
  func fail(_ error: StorageError?) { state.withLockedValue { $0.failure = error } }

  /// Puts texts at places, as SQL does beside the servers; does nothing while a server has the turn.
  ///
  /// - Returns: Whether it did.
  @discardableResult
  func change(_ rows: [(resource: Int, slot: Int, text: String)]) -> Bool {
    state.withLockedValue { state in
      guard !state.isTurnTaken else { return false }
      state.write(rows.map { PlacedRow(resource: $0.resource, slot: $0.slot, text: UTF8Slice($0.text)) })
      return true
    }
  }

  /// What is at a place.
  func text(_ resource: Int, _ slot: Int) -> String? {
    state.withLockedValue { $0.rows[[resource, slot]]?.string }
  }

  /// Puts a database in the place of this one that lacks all that was written.
  func lose() {
    state.withLockedValue { state in
      state.history += 1
      state.changes = []
      state.rows = [:]
      state.whole = state.start
      state.simulation = SharedSimulationFixture()
    }
  }

  /// Keeps commits from ending from now on.
  func hold() { state.withLockedValue { $0.held = [] } }

  /// How many commits are kept from ending.
  var heldCount: Int { state.withLockedValue { $0.held?.count ?? 0 } }

  /// Carries out what was kept from ending.
  func release() {
    let held = state.withLockedValue { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    for commit in held { commit() }
  }

  /// How often it was asked which version is the newest.
  var checks: Int { state.withLockedValue { $0.checks } }

  /// Has another server write before each of the next commits, which collide with that.
  func overtake(_ times: Int) { state.withLockedValue { $0.conflicts = times } }

  /// How often a turn was taken before a commit.
  var turns: Int { state.withLockedValue { $0.turns } }

  /// Starts a server whose data is the database's at its start.
  func server(
    _ value: JSONValue, reads: Reads = .linearizable,
    configure: (inout JSONServer.Server.Configuration) -> Void = { _ in }
  ) throws -> Server {
    var configuration = JSONServer.Server.Configuration(source: .value(value))
    configure(&configuration)
    return try Server(self, value, reads, configuration)
  }

  struct Server {
    let engine: Engine
    private let link: Link
    private let application: any Application

    fileprivate init(
      _ shared: SharedDatabaseFixture, _ value: JSONValue, _ reads: Reads,
      _ configuration: JSONServer.Server.Configuration
    ) throws {
      let ids = IDGenerator { "id" }
      let mailbox = EditMailbox()
      let database = try Database(parsing: UTF8Slice(value.utf8Text()), ids: ids)
      shared.state.withLockedValue { state in
        if state.start == nil { (state.start, state.whole) = (database, database) }
      }
      let link = Link(shared) { mailbox.deliver($0) }
      let source = OpenedSource(persistence: link, database: database, warnings: [])
      let loop = EventLoopExecutor()
      let engine = Engine(
        configuration, source, policies: try HTTPPolicies(configuration), stubs: try configuration.openStubs(),
        ids: ids,
        loop: loop)
      mailbox.connect { edit in
        loop.execute { engine.assumeIsolated { $0.writes.receive(edit, on: $0) } }
      }
      self.engine = engine
      self.link = link
      application = SharedApplication(engine: engine, reads: reads)
    }

    /// Tells it of what others have written, as the database does unasked.
    func notify() { link.fetchChanges() }

    /// Waits until its engine has done what waits on its loop.
    func settle() async {
      await withCheckedContinuation { continuation in engine.loop.execute { continuation.resume() } }
    }

    func send(
      _ method: HTTPRequest.Method, _ target: String, _ body: String = "", token: String? = nil
    ) async -> Response {
      var request = Request(method: method, target: target, headerFields: [.host: "localhost"])
      request.headerFields[.authorization] = token.map { "Bearer \($0)" }
      if !body.isEmpty {
        request.headerFields[.contentType] = "application/json"
        request.body = Array(body.utf8)
      }
      let prepared = request
      return await withCheckedContinuation { continuation in
        engine.loop.execute {
          application.respond(to: prepared, progress: { _ in }) { continuation.resume(returning: $0.response) }
        }
      }
    }
  }

  /// One server's way to the database.
  private final class Link: SharedPersistence {
    private struct Base {
      var version = 0
      var history = 0
      /// Whether a commit is under way, which ends with what others have written before it.
      var isCommitting = false
    }

    private let shared: SharedDatabaseFixture
    private let base = NIOLockedValueBox(Base())
    private let onEdit: @Sendable (SourceEdit) -> Void

    init(_ shared: SharedDatabaseFixture, onEdit: @escaping @Sendable (SourceEdit) -> Void) {
      self.shared = shared
      self.onEdit = onEdit
    }

    var version: Int { base.withLockedValue { $0.version } }
    let behind = 0
    let stall: String? = nil
    var failure: StorageError? { shared.state.withLockedValue { $0.failure } }

    func commit(_ version: Database, after other: Database, completion: @escaping @Sendable (Commit) -> Void) {
      base.withLockedValue { $0.isCommitting = true }
      let isHeld = shared.state.withLockedValue { state in
        state.held?.append { self.carryOut(version, after: other, completion) }
        return state.held != nil
      }
      if !isHeld { carryOut(version, after: other, completion) }
    }

    private func carryOut(_ database: Database, after other: Database, _ completion: (Commit) -> Void) {
      let commit = shared.state.withLockedValue { state -> Commit in
        if let failure = state.failure { return .failed(failure) }
        if state.conflicts > 0 {
          state.conflicts -= 1
          state.write([])
        }
        if let changes = changes(in: state) {
          state.isTurnTaken = true
          return .edited(changes)
        }
        state.isTurnTaken = false
        if let rows = database.placedRows(since: other) {
          state.write(rows)
        } else {
          state.replace(with: database)
        }
        return .done
      }
      base.withLockedValue { base in
        base.isCommitting = false
        if case .done = commit { base.version += 1 }
      }
      completion(commit)
    }

    /// What others have written; `nil` for nothing.
    private func changes(in state: SharedDatabaseState) -> LoadedSource? {
      base.withLockedValue { base in
        if base.history != state.history {
          (base.version, base.history) = (-1, state.history)
        }
        return state.version == base.version ? nil : state.changes(since: base.version)
      }
    }

    func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
      let result = shared.state.withLockedValue { state -> Result<Int, StorageError> in
        state.checks += 1
        return state.failure.map { .failure($0) } ?? .success(state.version)
      }
      if case .success = result { fetchChanges() }
      completion(result)
    }

    func fetchChanges() {
      guard base.withLockedValue({ !$0.isCommitting }) else { return }
      if let changes = shared.state.withLockedValue({ changes(in: $0) }) { onEdit(.changed(changes)) }
    }

    func adopt(_ source: LoadedSource) { base.withLockedValue { $0.version = source.generation } }

    func takeTurn(
      mark: @escaping @Sendable () -> Int,
      completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void
    ) {
      let number = mark()
      let result = shared.state.withLockedValue { state -> Result<LoadedSource, StorageError> in
        state.turns += 1
        if let failure = state.failure { return .failure(failure) }
        state.isTurnTaken = true
        return .success(changes(in: state) ?? state.changes(since: state.version))
      }
      completion(number, result)
    }

    func releaseTurn() { shared.state.withLockedValue { $0.isTurnTaken = false } }

    func saveHistory(
      of database: Database, part: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      completion(.failure(StorageError(.unavailable, "Nothing is kept.")))
    }

    func snapshot(
      _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      completion(.failure(StorageError(.unavailable, "Nothing is kept.")))
    }

    func close() {}

    // MARK: What is shared besides the data

    private func ask<Success>(
      _ completion: @escaping @Sendable (Result<Success, StorageError>) -> Void,
      _ body: (inout SharedDatabaseState) -> Success
    ) {
      let result = shared.state.withLockedValue { state -> Result<Success, StorageError> in
        if let failure = state.failure { return .failure(failure) }
        return .success(body(&state))
      }
      completion(result)
    }

    func readState(_ completion: @escaping @Sendable (Result<SharedState, StorageError>) -> Void) {
      ask(completion) { $0.simulation.state(version: $0.version) }
    }

    func change(
      _ change: SharedChange, completion: @escaping @Sendable (Result<SharedChange.Outcome, StorageError>) -> Void
    ) {
      ask(completion) { state in
        state.write([])
        let number = state.simulation.carryOut(change, version: state.version)
        return SharedChange.Outcome(number: number, state: state.simulation.state(version: state.version))
      }
    }

    func meet(
      _ kind: SharedRule.Kind, _ id: Int,
      completion: @escaping @Sendable (Result<SharedRule.Meeting?, StorageError>) -> Void
    ) { ask(completion) { $0.simulation.meet(kind, id) } }

    private static let noSnapshots = StorageError(.unavailable, "Nothing is kept.")

    func snapshots(_ completion: @escaping @Sendable (Result<[Snapshots.Entry], StorageError>) -> Void) {
      completion(.failure(Self.noSnapshots))
    }

    func saveSnapshot(named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
      completion(.failure(Self.noSnapshots))
    }

    func restoreSnapshot(named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void) {
      completion(.failure(Self.noSnapshots))
    }

    func removeSnapshot(_ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void) {
      completion(.failure(Self.noSnapshots))
    }

    func add(
      _ tokens: [SharedToken], now: Double, completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
      ask(completion) { state in for token in tokens { state.simulation.tokens[token.text] = token } }
    }

    func token(_ text: String, completion: @escaping @Sendable (Result<SharedToken?, StorageError>) -> Void) {
      ask(completion) { $0.simulation.tokens[text] }
    }

    func renew(
      _ text: String, as tokens: [SharedToken], now: Double,
      completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void
    ) {
      ask(completion) { state in
        guard state.simulation.tokens.removeValue(forKey: text) != nil else { return false }
        for token in tokens { state.simulation.tokens[token.text] = token }
        return true
      }
    }
  }
}
