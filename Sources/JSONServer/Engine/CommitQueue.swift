import JSONDatabase

/// Who asked for a change of the data, or for a look at it.
enum Requester {
  /// A client, by a request whose route is known.
  case client(RequestContext, Route)
  /// Swift code of this process.
  case code(SwiftCall)

  /// Allows the requests after it on its connection to begin.
  func proceed() {
    if case .client(let context, _) = self { context.progress(.tookEffect) }
  }

  /// How many of its commits collided with an edit of the file.
  var attempts: Int {
    switch self {
    case .client(let context, _): context.attempts
    case .code(let call): call.attempts
    }
  }

  /// The same requester after a commit of it collided with an edit of the file.
  var nextAttempt: Requester {
    switch self {
    case .client(let context, let route): return .client(context.nextAttempt, route)
    case .code(var call):
      call.attempts += 1
      return .code(call)
    }
  }

  /// Whether an edit of the file was taken over while it waited, so that who asked cannot have seen that.
  var isOvertaken: Bool {
    switch self {
    case .client(let context, _): context.isOvertaken
    case .code(let call): call.isOvertaken
    }
  }

  /// The same after an edit of the file was taken over while it waited.
  var overtaken: Requester {
    switch self {
    case .client(let context, let route): return .client(context.overtaken, route)
    case .code(var call):
      call.isOvertaken = true
      return .code(call)
    }
  }
}

/// A change of the data that Swift code asked for.
struct SwiftCall: Sendable {
  var attempts = 0
  var isOvertaken = false
  /// Makes the change; called again after an edit of the file.
  let perform: @Sendable (isolated Engine, SwiftCall) throws(RequestError) -> Void
  /// Called once, with the error, if there was one.
  let completion: @Sendable (RequestError?) -> Void
}

/// A requester that waits, with the response it will get.
struct PendingResponse {
  let requester: Requester
  let response: PreparedResponse
  var change: DataChange?
  /// The names of the resources that were changed; empty when it is not a write.
  var resources: [String] = []

  var isWrite: Bool { !resources.isEmpty }
}

/// The responses that wait for one commit.
struct Batch {
  var responses: [PendingResponse] = []
  /// The places of the resources that were changed.
  var resources: Set<Int> = []
  /// Whether a change of it took long.
  var isLarge = false

  var isEmpty: Bool { responses.isEmpty }
}

/// What is not on disk yet: the batch that is being written, and the one that is gathered meanwhile (group commit).
struct CommitQueue {
  private(set) var inFlight: Batch?
  private(set) var open = Batch()
  /// Whether a commit is about to start: more writes may join it until then.
  private(set) var isScheduled = false
  /// How long the last commit took.
  private(set) var lastDuration = Duration.zero
  private var startTime = Duration.zero

  /// Whether everything is on disk.
  var isIdle: Bool { inFlight == nil && open.isEmpty }

  /// Adds a write that was applied, and returns whether the caller has to schedule a commit.
  mutating func add(_ response: PendingResponse, changing resources: Set<Int>) -> Bool {
    open.responses.append(response)
    open.resources.formUnion(resources)
    return schedule()
  }

  /// Records that a change took long that waits for the next commit, if there is one.
  mutating func markLarge() { open.isLarge = !open.isEmpty }

  /// Makes a response wait for the newest commit that holds a change of a resource (of any, when it is `nil`).
  ///
  /// - Returns: Whether there is such a commit.
  mutating func wait(_ response: PendingResponse, for resource: Int?) -> Bool {
    if !open.isEmpty, resource.map(open.resources.contains) ?? true {
      open.responses.append(response)
      return true
    }
    if let batch = inFlight, resource.map(batch.resources.contains) ?? true {
      inFlight?.responses.append(response)
      return true
    }
    return false
  }

  /// How long a commit waits for writes to join it.
  ///
  /// The clients that the last commit served write again immediately; without them every second commit would be nearly
  /// empty. A short commit need not wait, since they come soon enough for the next.
  var gatheringTime: Duration {
    lastDuration < .milliseconds(32) ? .zero : min(lastDuration / 16, .milliseconds(10))
  }

  /// Moves the gathered batch into flight.
  ///
  /// - Parameter now: The system's uptime.
  /// - Returns: Whether there is one, and none was in flight.
  mutating func start(now: Duration = System.uptime) -> Bool {
    isScheduled = false
    guard inFlight == nil, !open.isEmpty else { return false }
    startTime = now
    inFlight = open
    open = Batch()
    return true
  }

  /// Returns whether a batch waits for which no commit is scheduled, and records that one will be.
  mutating func schedule() -> Bool {
    guard inFlight == nil, !isScheduled, !open.isEmpty else { return false }
    isScheduled = true
    return true
  }

  /// Ends the commit in flight, and returns what waited for it.
  mutating func finish(now: Duration = System.uptime) -> [PendingResponse] {
    lastDuration = now - startTime
    defer { inFlight = nil }
    return inFlight?.responses ?? []
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
