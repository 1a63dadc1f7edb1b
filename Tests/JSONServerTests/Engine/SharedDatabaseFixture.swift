import HTTPTypes
import JSONDatabase
import JSONStorage
import NIOConcurrencyHelpers
import OrderedJSON

@testable import JSONServer

/// A database in memory that several servers share, as they share one of PostgreSQL.
final class SharedDatabaseFixture: Sendable {
  fileprivate struct State {
    var version = 0
    /// The places that each version changed.
    var changes: [[(resource: Int, slot: Int)]] = []
    var rows: [[Int]: UTF8Slice] = [:]
    var failure: StorageError?
    var simulation = SharedSimulationFixture()
    /// How often a turn was taken before a commit.
    var turns = 0
    /// Before how many commits another server writes.
    var conflicts = 0
  }

  private let state = NIOLockedValueBox(State())

  /// Makes all that is asked fail, or with `nil` succeed again.
  func fail(_ error: StorageError?) { state.withLockedValue { $0.failure = error } }

  /// Puts texts at places, as SQL does beside the servers.
  func change(_ rows: [(resource: Int, slot: Int, text: String)]) {
    state.withLockedValue { state in
      state.version += 1
      state.changes.append(rows.map { ($0.resource, $0.slot) })
      for row in rows { state.rows[[row.resource, row.slot]] = UTF8Slice(row.text) }
    }
  }

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
    private let application: any Application

    fileprivate init(
      _ shared: SharedDatabaseFixture, _ value: JSONValue, _ reads: Reads,
      _ configuration: JSONServer.Server.Configuration
    ) throws {
      let ids = IDGenerator { "id" }
      let mailbox = EditMailbox()
      let source = OpenedSource(
        persistence: Link(shared) { mailbox.deliver($0) },
        database: try Database(parsing: UTF8Slice(value.utf8Text()), ids: ids), warnings: [])
      let loop = EventLoopExecutor()
      let engine = Engine(
        configuration, source, policies: try HTTPPolicies(configuration), stubs: try configuration.openStubs(),
        ids: ids,
        loop: loop)
      mailbox.connect { edit in
        loop.execute { engine.assumeIsolated { $0.writes.receive(edit, on: $0) } }
      }
      self.engine = engine
      application = SharedApplication(engine: engine, reads: reads)
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
    private let shared: SharedDatabaseFixture
    private let base = NIOLockedValueBox(0)
    private let onEdit: @Sendable (SourceEdit) -> Void

    init(_ shared: SharedDatabaseFixture, onEdit: @escaping @Sendable (SourceEdit) -> Void) {
      self.shared = shared
      self.onEdit = onEdit
    }

    var version: Int { base.withLockedValue { $0 } }
    let behind = 0
    var failure: StorageError? { shared.state.withLockedValue { $0.failure } }

    func commit(_ database: Database, _ batch: CommittedChanges, completion: @escaping @Sendable (Commit) -> Void) {
      let base = version
      let rows = database.placedRows(changedBy: batch.changes) ?? []
      let commit = shared.state.withLockedValue { state -> Commit in
        if let failure = state.failure { return .failed(failure) }
        if state.conflicts > 0 {
          state.conflicts -= 1
          state.version += 1
          state.changes.append([])
        }
        guard state.version == base else { return .edited(state.changes(since: base)) }
        state.version += 1
        state.changes.append(rows.map { ($0.resource, $0.slot) })
        for row in rows { state.rows[[row.resource, row.slot]] = row.text }
        return .done
      }
      self.base.withLockedValue { base in if case .done = commit { base += 1 } }
      completion(commit)
    }

    func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
      let base = version
      let (result, changes) = shared.state.withLockedValue { state -> (Result<Int, StorageError>, LoadedSource?) in
        if let failure = state.failure { return (.failure(failure), nil) }
        return (.success(state.version), state.version > base ? state.changes(since: base) : nil)
      }
      if let changes { onEdit(.changed(changes)) }
      completion(result)
    }

    func adopt(_ source: LoadedSource) { base.withLockedValue { $0 = source.generation } }

    /// Finds out what others have written; nothing keeps them from writing again.
    func takeTurn(
      mark: @escaping @Sendable () -> Int,
      completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void
    ) {
      let base = version
      let number = mark()
      let result = shared.state.withLockedValue { state -> Result<LoadedSource, StorageError> in
        state.turns += 1
        if let failure = state.failure { return .failure(failure) }
        return .success(state.changes(since: base))
      }
      completion(number, result)
    }

    func releaseTurn() {}

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
      _ completion: @escaping @Sendable (Result<Success, StorageError>) -> Void, _ body: (inout State) -> Success
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
        state.version += 1
        state.changes.append([])
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

extension SharedDatabaseFixture.State {
  fileprivate func changes(since base: Int) -> LoadedSource {
    let places = Set(changes[base...].flatMap { $0.map { [$0.resource, $0.slot] } })
    let placed = places.sorted { $0.lexicographicallyPrecedes($1) }.map { place in
      PlacedRow(resource: place[0], slot: place[1], text: rows[place])
    }
    let isShared = simulation.version > base
    return LoadedSource(
      .rows(placed, since: base), generation: version, shared: isShared ? simulation.state(version: version) : nil)
  }
}
