import Dispatch
import JSONStorage
import OrderedJSON

extension Engine {
  /// Takes over edits that nobody has noticed yet, as any other (R2), and keeps a copy of what only memory has: what is
  /// served while its file is missing or invalid.
  func keepUnseen(_ persistence: any Persistence) async {
    guard writes.hasHistory else { return }
    await settle()
    let faults = await blocking { persistence.look() }
    await settle()
    if let takeover = writes.takeover {
      configuration.onEvent(
        .warning("The server stops, and \(takeover.list), written over HTTP, is lost: no copy could be kept."))
    }
    for (name, fault) in faults.sorted(by: { $0.key < $1.key }) {
      let copy = await withCheckedContinuation { continuation in
        persistence.saveHistory(of: database, part: name.isEmpty ? nil : name) { continuation.resume(returning: $0) }
      }
      let outcome =
        switch copy {
        case .success(let path): "What was served is kept as '\(path)'."
        case .failure(let error): "What was served is lost, since no copy could be kept: \(error.message)"
        }
      configuration.onEvent(.warning("\(fault) \(outcome)"))
    }
  }

  /// Does work that blocks on another thread; what that has handed to the loop is done when this returns.
  func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { [loop] continuation in
      DispatchQueue(label: "swift-json-server.close").async {
        let result = work()
        loop.execute { continuation.resume(returning: result) }
      }
    }
  }

  /// Waits until nothing is on its way to the files, and no replacement of the data waits for a copy that can be made.
  private func settle() async {
    await withCheckedContinuation { continuation in
      let call = SwiftCall(
        perform: { engine, call throws(RequestError) in
          guard try !engine.writes.postpone(.code(call)) else { return }
          engine.writes.respondWhenSaved(PendingResponse(requester: .code(call), response: .json([:])), on: engine)
        },
        completion: { _ in continuation.resume() })
      perform(.code(call))
    }
  }
}
