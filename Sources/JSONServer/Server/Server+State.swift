import Dispatch
import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage

extension Server {
  /// Restores the data that was last loaded from the source, at the start or after an edit. Stubs begin with their first
  /// response again.
  ///
  /// - Throws: ``ServerError`` with code `notSaved`; nothing is changed then.
  public func reset() async throws(ServerError) {
    try await restore(nil)
  }

  /// The names of the snapshots, oldest first.
  public var snapshots: [String] {
    get async {
      let entries = await result(orWarning: "The snapshots cannot be listed") { $0.snapshots.list(on: $0, $1) }
      return entries?.map(\.name) ?? []
    }
  }

  /// Saves a snapshot of the current data; replaces a snapshot with the same name.
  ///
  /// The snapshot is in memory, in O(number of resources), or in the database that servers share, which copies the
  /// data.
  public func saveSnapshot(_ name: String) async {
    await result(orWarning: "The snapshot '\(name)' was not saved") { $0.snapshots.save(name, on: $0, $1) }
  }

  /// Restores a snapshot.
  ///
  /// - Throws: ``ServerError`` with code `unknownSnapshot` or `notSaved`; nothing is changed then.
  public func restoreSnapshot(_ name: String) async throws(ServerError) {
    try await restore(name)
  }

  /// Removes a snapshot, if it exists.
  public func deleteSnapshot(_ name: String) async {
    await result(orWarning: "The snapshot '\(name)' was not removed") { $0.snapshots.remove(name, on: $0, $1) }
  }

  /// Writes the current data to another file, atomically.
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
      store.writeCopy(text, to: path, completion: resume)
    }
    return try result.mapError { ServerError(.notSaved, $0.message) }.get()
  }

  /// Restores a snapshot, or the data that was last loaded.
  private func restore(_ name: String?) async throws(ServerError) {
    let result: Result<PreparedResponse, RequestError> = await result { engine, completion in
      let restore: Requester.Change = { engine, requester throws(RequestError) in
        try engine.snapshots.restore(name, for: requester, on: engine)
      }
      Requester(restore, completion: completion).resume(on: engine)
    }
    if case .failure(let error) = result {
      throw ServerError(error.code == .notFound ? .unknownSnapshot : .notSaved, error.message)
    }
  }

  /// The result of work that may need the shared database; `nil` when the work failed.
  ///
  /// - Parameter sentence: The beginning of the warning about a failure.
  @discardableResult
  func result<Success: Sendable>(
    orWarning sentence: String,
    of work: @escaping @Sendable (isolated Engine, @escaping Engine.Completion<Success>) -> Void
  ) async -> Success? {
    let result = await result(of: work)
    if case .failure(let error) = result {
      await engine.run { $0.configuration.onEvent(.warning("\(sentence): \(error.message)")) }
    }
    return try? result.get()
  }

  /// The result of work that may need the shared database.
  func result<Success: Sendable>(
    of work: @escaping @Sendable (isolated Engine, @escaping Engine.Completion<Success>) -> Void
  ) async -> Result<Success, RequestError> {
    let engine = await engine
    return await withCheckedContinuation { continuation in
      engine.execute { work($0) { continuation.resume(returning: $1) } }
    }
  }
}

/// The description of a resource for people.
public struct ResourceDescription: Sendable, Hashable {
  /// The name of the resource, which is also its path below `/`.
  public let name: String
  /// The number of records; `nil` for a single resource.
  public let count: Int?
  /// The member with the ids of its records.
  public let idName: String
}
