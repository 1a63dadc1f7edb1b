import Dispatch
import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage

extension Server {
  /// Brings the data back to what was last read from outside: at start, or when a file was edited.
  ///
  /// - Throws: ``ServerError`` with code `notSaved`; nothing is changed then.
  public func reset() async throws(ServerError) {
    try await change { engine, requester throws(RequestError) in
      try engine.snapshots.restore(nil, for: requester, on: engine)
    }
  }

  /// The names of the snapshots, oldest first.
  public var snapshots: [String] {
    get async {
      let entries = await carryOut(failingAs: "The snapshots cannot be listed") { $0.snapshots.list(on: $0, $1) }
      return entries?.map(\.name) ?? []
    }
  }

  /// Keeps the data as it is now; it replaces a snapshot of the same name.
  ///
  /// It is kept in memory, in O(number of resources), or in the database that servers share, which copies it.
  public func saveSnapshot(_ name: String) async {
    await carryOut(failingAs: "The snapshot '\(name)' was not saved") { $0.snapshots.save(name, on: $0, $1) }
  }

  /// Brings the data back to a snapshot.
  ///
  /// - Throws: ``ServerError`` with code `unknownSnapshot` or `notSaved`; nothing is changed then.
  public func restoreSnapshot(_ name: String) async throws(ServerError) {
    try await change { engine, requester throws(RequestError) in
      try engine.snapshots.restore(name, for: requester, on: engine)
    }
  }

  /// Removes a snapshot; does nothing when it does not exist.
  public func deleteSnapshot(_ name: String) async {
    await carryOut(failingAs: "The snapshot '\(name)' was not removed") { $0.snapshots.remove(name, on: $0, $1) }
  }

  /// Writes the data as it is now to another file, atomically.
  ///
  /// - Returns: The path of the file.
  /// - Throws: ``ServerError`` with code `notSaved`.
  @discardableResult
  public func writeSnapshot(to path: String) async throws(ServerError) -> String {
    let text = await engine.database.text
    let store = await engine.store
    let result = await withCheckedContinuation { continuation in
      let resume: @Sendable (Result<String, StorageError>) -> Void = { continuation.resume(returning: $0) }
      guard let store else { return text.write(to: path, completion: resume) }
      store.snapshot(text, to: path, completion: resume)
    }
    return try result.mapError { ServerError(.notSaved, $0.message) }.get()
  }

  /// Changes all data.
  ///
  /// - Throws: ``ServerError`` with code `unknownSnapshot` or `notSaved`; nothing is changed then.
  private func change(
    _ perform: @escaping @Sendable (isolated Engine, Requester) throws(RequestError) -> Void
  ) async throws(ServerError) {
    let engine = await engine
    let error = await withCheckedContinuation { continuation in
      let call = SwiftCall(
        perform: { engine, call throws(RequestError) in try perform(engine, .code(call)) },
        completion: { continuation.resume(returning: $0) })
      engine.loop.execute { engine.assumeIsolated { $0.carryOut(.code(call)) } }
    }
    guard let error else { return }
    throw ServerError(error.code == .notFound ? .unknownSnapshot : .notSaved, error.message)
  }

  /// Does what may have to ask the database that servers share.
  ///
  /// - Parameter sentence: What a warning begins with when that fails.
  /// - Returns: What came of it; `nil` when it failed.
  @discardableResult
  func carryOut<Success: Sendable>(
    failingAs sentence: String,
    _ work: @escaping @Sendable (isolated Engine, @escaping Engine.Completion<Success>) -> Void
  ) async -> Success? {
    let result = await result(of: work)
    if case .failure(let error) = result {
      await engine.run { $0.configuration.onEvent(.warning("\(sentence): \(error.message)")) }
    }
    return try? result.get()
  }

  /// The result of work that may have to ask the shared database.
  func result<Success: Sendable>(
    of work: @escaping @Sendable (isolated Engine, @escaping Engine.Completion<Success>) -> Void
  ) async -> Result<Success, RequestError> {
    let engine = await engine
    return await withCheckedContinuation { continuation in
      engine.execute { work($0) { continuation.resume(returning: $1) } }
    }
  }
}

/// A resource as a person sees it.
public struct ResourceDescription: Sendable, Hashable {
  /// The top-level name of the data, which is the path below `/`, too.
  public let name: String
  /// The number of records; `nil` for a single object.
  public let count: Int?
  /// The member that holds the ids of its records.
  public let idName: String
}
