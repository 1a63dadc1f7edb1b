import JSONDatabase
import JSONStorage
import NIOConcurrencyHelpers

/// Where a server's changes are kept. What it and the engine exchange follows below.
protocol Persistence: Sendable {
  /// Whether resources come and go only from outside, because each is a file.
  var hasFixedResources: Bool { get }

  /// Makes a version durable.
  ///
  /// - Parameters:
  ///   - base: The version before, which is.
  ///   - state: What changed of what servers share besides the data; nothing where they share none.
  ///   - completion: Called once, on any thread.
  func commit(
    _ version: Database, after base: Database, _ state: [ServerState.Row],
    completion: @escaping @Sendable (Commit) -> Void)

  /// Bases all further commits on a version that was read.
  func adopt(_ source: LoadedSource)

  /// Copies a version that is about to be replaced into the history.
  ///
  /// - Parameters:
  ///   - part: The resource whose file is replaced; `nil` when all data is.
  ///   - completion: Called once, on any thread, with the path of the copy (one of them, when there are several).
  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Writes a version to another file, atomically.
  ///
  /// - Parameter completion: Called once, on any thread, with the path of the file.
  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Looks at the files a last time, and hands out edits of them that were not noticed yet. Blocks until that is done.
  ///
  /// - Returns: Why a file does not hold what is served, by its resource; empty for the file of all.
  func look() -> [String: String]

  /// Finishes what is in progress and closes the files. Blocks until that is done.
  func close()
}

extension Persistence {
  /// Nothing is edited but through the servers.
  func look() -> [String: String] { [:] }
}

/// A source that was opened: what it holds and what keeps its changes.
struct OpenedSource: Sendable {
  /// `nil` for a source in memory.
  let persistence: (any Persistence)?
  let database: Database
  /// What a person should know.
  let warnings: [String]
  /// What its servers share besides the data.
  var state: [ServerState.Row] = []
}

/// How a commit ended.
enum Commit: Sendable {
  /// The version is as durable as was requested.
  case done
  /// Someone edited the file meanwhile; nothing was written.
  case edited(LoadedSource)
  /// Nothing was written, except when the error's code is `durabilityUnknown`.
  case failed(StorageError)
}

/// What was read from a source, or from one file of it.
struct LoadedSource: Sendable {
  enum Content: Sendable {
    /// The whole database.
    case whole(Database)
    /// The resource of one file of several.
    case part(DatabasePart)
    /// What other servers have written since a generation.
    case rows([PlacedRow], since: Int)
  }

  let content: Content
  /// How many edits from outside the file has seen up to this version.
  let generation: Int
  /// What changed of what servers share besides the data; all of it beside the whole database.
  let state: [ServerState.Row]
  /// What tells it from another version of the same generation, where servers share it.
  let commitID: String?

  init(_ content: Content, generation: Int, state: [ServerState.Row] = [], commitID: String? = nil) {
    self.content = content
    self.generation = generation
    self.state = state
    self.commitID = commitID
  }

  /// The file's resource; empty when the file holds the whole database.
  var name: String {
    switch content {
    case .whole, .rows: ""
    case .part(let part): part.name
    }
  }

  /// Whether it holds so much that taking it over takes noticeably long.
  var isLarge: Bool {
    switch content {
    case .whole(let database): !database.isSmall
    case .part(let part): part.isLarge
    case .rows: false
    }
  }

  /// The database with what was read in its place.
  func applied(to database: Database, ids: IDGenerator) -> Database {
    switch content {
    case .whole(let whole): return whole
    case .part(let part):
      var database = database
      database.replace(with: part, ids: ids)
      return database
    // Only what is shared is told in rows, and taken over in place.
    case .rows: return database
    }
  }
}

/// What happened to a source from outside.
enum SourceEdit: Sendable {
  case changed(LoadedSource)
  case invalid(message: String)
  case restored(path: String)
  case deleted(path: String)
  /// An editor saved to a version that had been replaced already; its text is kept at a path.
  case conflict(path: String)
  /// The text of such a save could not be kept.
  case conflictLost(message: String)
}

/// Holds the edits of a source that arrive before there is an engine to receive them.
final class EditMailbox: Sendable {
  private struct State {
    var waiting: [SourceEdit] = []
    var receiver: (@Sendable (SourceEdit) -> Void)?
  }

  private let state = NIOLockedValueBox(State())

  /// Hands an edit to the receiver, or keeps it until there is one.
  func deliver(_ edit: SourceEdit) {
    let receiver = state.withLockedValue { state in
      if state.receiver == nil { state.waiting.append(edit) }
      return state.receiver
    }
    receiver?(edit)
  }

  /// Sets the receiver, and hands it what has arrived.
  func connect(_ receiver: @escaping @Sendable (SourceEdit) -> Void) {
    let waiting = state.withLockedValue { state in
      defer { state = State(receiver: receiver) }
      return state.waiting
    }
    waiting.forEach(receiver)
  }
}
