import Dispatch
import JSONDatabase

extension Engine {
  /// The resources, in the file's order.
  var resources: [ResourceDescription] {
    database.resourceNames.map { name in
      let count: Int? =
        if case .collection(let collection)? = database.resource(named: name) { collection.count } else { nil }
      return ResourceDescription(name: name, count: count, idName: database.schema.idName(of: name))
    }
  }

  /// Ends all streams and waits, saves what is under way and lets go of the files.
  func close() async {
    isClosed = true
    heartbeat?.cancel()
    events.end()
    journal.endWaiting()
    for task in tasks.values { task.cancel() }
    guard let persistence else { return }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        persistence.close()
        continuation.resume()
      }
    }
  }
}
