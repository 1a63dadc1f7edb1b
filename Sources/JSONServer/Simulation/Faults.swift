/// The faults of a server, in the order they were added.
struct Faults {
  private struct Entry {
    let id: Int
    var fault: Fault
    let pattern: RequestPattern
  }

  private var entries: [Entry] = []
  private var lastID = 0

  /// The faults that have not expired, with their ids; ``Fault/times`` counts what is left.
  var all: [(id: Int, fault: Fault)] { entries.map { ($0.id, $0.fault) } }

  /// Adds a fault and returns its id.
  mutating func add(_ fault: Fault) -> Int {
    lastID += 1
    let pattern = RequestPattern(method: fault.method, path: fault.path)
    entries.append(Entry(id: lastID, fault: fault, pattern: pattern))
    return lastID
  }

  /// Removes a fault, and returns whether it was there.
  mutating func remove(_ id: Int) -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries.remove(at: index)
    return true
  }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Returns the first fault that meets a request, and counts it.
  mutating func next(for context: RequestContext) -> Fault? {
    guard let index = entries.firstIndex(where: { $0.pattern.matches(context.route) && $0.fault.times != 0 }) else {
      return nil
    }
    let fault = entries[index].fault
    if let times = fault.times {
      entries[index].fault.times = times - 1
      if times <= 1 { entries.remove(at: index) }
    }
    return fault
  }
}
