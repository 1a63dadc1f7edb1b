import JSONDatabase

/// A request that waits, with the answer it will get.
struct PendingResponse {
  let call: RequestContext
  let response: Response
  let change: DataChange?
  /// The names of the resources that were changed.
  let resources: [String]
  let isWrite: Bool
}

/// The answers that wait for one commit.
struct Batch {
  var answers: [PendingResponse] = []
  var changes = UndoLog()
  var resources: Set<Int> = []

  var isEmpty: Bool { answers.isEmpty }
}

/// What is not on disk yet: the batch that is being written, and the one that gathers meanwhile (group commit).
struct CommitQueue {
  private(set) var inFlight: Batch?
  private(set) var open = Batch()
  /// Whether a commit is about to start: more writes may join it until then.
  private(set) var isScheduled = false
  /// How long the last commit took.
  private var lastDuration = Duration.zero
  private var startTime = Duration.zero

  /// Whether everything is on disk.
  var isIdle: Bool { inFlight == nil && open.isEmpty }

  /// Adds a write that was applied, and tells whether the caller has to schedule a commit.
  mutating func add(_ answer: PendingResponse, _ changes: UndoLog) -> Bool {
    open.answers.append(answer)
    open.changes.append(changes)
    open.resources.formUnion(changes.resources)
    return schedule()
  }

  /// Makes an answer wait for the newest commit that holds a change of a resource (of any, when it is `nil`).
  ///
  /// - Returns: Whether there is such a commit.
  mutating func wait(_ answer: PendingResponse, for resource: Int?) -> Bool {
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

  /// How long a commit waits for writes to join it.
  ///
  /// The clients whom the last commit answered write again at once; without them every second commit would be nearly
  /// empty. A short commit need not wait, since they come soon enough for the next.
  var gatheringTime: Duration {
    lastDuration < .milliseconds(32) ? .zero : min(lastDuration / 16, .milliseconds(10))
  }

  /// Moves the gathered batch into flight; `nil` when there is none, or one is in flight.
  ///
  /// - Parameter now: The system's uptime.
  mutating func start(now: Duration = System.uptime) -> Batch? {
    isScheduled = false
    guard inFlight == nil, !open.isEmpty else { return nil }
    startTime = now
    inFlight = open
    open = Batch()
    return inFlight
  }

  /// Tells whether a batch waits that no commit is scheduled for, and takes note that one will be.
  mutating func schedule() -> Bool {
    guard inFlight == nil, !isScheduled, !open.isEmpty else { return false }
    isScheduled = true
    return true
  }

  /// Takes the batch in flight out.
  mutating func finish(now: Duration = System.uptime) -> Batch {
    lastDuration = now - startTime
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
