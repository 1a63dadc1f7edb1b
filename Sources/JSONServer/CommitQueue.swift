import JSONDatabase

/// A request that waits, with the answer it will get.
struct PendingAnswer {
  let call: Call
  let response: Response
  let change: DataChange?
  /// The names of the resources that were changed.
  let resources: [String]
  let isWrite: Bool
}

/// The answers that wait for one commit.
struct Batch {
  var answers: [PendingAnswer] = []
  var changes = Changes()
  var resources: Set<Int> = []

  var isEmpty: Bool { answers.isEmpty }
}

/// What is not on disk yet: the batch that is being written, and the one that gathers meanwhile (group commit).
struct CommitQueue {
  private(set) var inFlight: Batch?
  private(set) var open = Batch()
  /// Whether a commit is about to start: more writes may join it until then.
  private(set) var isScheduled = false

  /// Whether everything is on disk.
  var isIdle: Bool { inFlight == nil && open.isEmpty }

  /// Adds a write that was applied, and tells whether the caller has to schedule a commit.
  mutating func add(_ answer: PendingAnswer, _ changes: Changes) -> Bool {
    open.answers.append(answer)
    open.changes.append(changes)
    open.resources.formUnion(changes.resources)
    guard inFlight == nil, !isScheduled else { return false }
    isScheduled = true
    return true
  }

  /// Makes an answer wait for the newest commit that holds a change of a resource (of any, when it is `nil`).
  ///
  /// - Returns: Whether there is such a commit.
  mutating func wait(_ answer: PendingAnswer, for resource: Int?) -> Bool {
    if !open.isEmpty, resource.map(open.resources.contains) ?? true {
      open.answers.append(answer)
      return true
    }
    if let batch = inFlight, resource.map(batch.resources.contains) ?? true {
      inFlight?.answers.append(answer)
      return true
    }
    return false
  }

  /// Moves the gathered batch into flight; `nil` when there is none, or one is in flight.
  mutating func start() -> Batch? {
    isScheduled = false
    guard inFlight == nil, !open.isEmpty else { return nil }
    inFlight = open
    open = Batch()
    return inFlight
  }

  /// Takes the batch in flight out.
  mutating func finish() -> Batch {
    defer { inFlight = nil }
    return inFlight ?? Batch()
  }

  /// Takes everything out, the batch in flight first.
  mutating func takeAll() -> (inFlight: Batch, open: Batch) {
    defer {
      inFlight = nil
      open = Batch()
    }
    return (inFlight ?? Batch(), open)
  }
}
