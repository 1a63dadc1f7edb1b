import Dispatch
import JSONDatabase
import OrderedJSON

extension Engine {
  /// What the data looks like now.
  var description: DataDescription {
    DataDescription(of: database, title: configuration.title)
  }

  /// The resources, in the file's order.
  var resources: [ResourceDescription] {
    database.resourceNames.map { name in
      let count: Int? =
        if case .collection(let collection)? = database.resource(named: name) { collection.count } else { nil }
      return ResourceDescription(name: name, count: count, idName: database.schema.idName(of: name))
    }
  }

  /// Rewrites targets by other rules from now on.
  ///
  /// - Throws: ``ServerError`` for the first rule that cannot be used; the rules before stay in force.
  func setRoutes(_ rules: JSONObject) throws(ServerError) {
    gate.setRules(try Gate.rules(rules))
  }

  /// Ends all streams and waits, saves what is under way and lets go of the files.
  func close() async {
    isClosed = true
    heartbeat?.cancel()
    releaseDelayed()
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
