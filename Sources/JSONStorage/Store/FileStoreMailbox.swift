import NIOConcurrencyHelpers

/// A request to the thread of a store.
enum FileStoreJob<Content: FileContent>: Sendable {
  case publish(PublishRequest<Content>)
  case saveHistory(Content, completion: @Sendable (Result<String, StorageError>) -> Void)
  case look(completion: @Sendable (StorageError?) -> Void)
  case snapshot(Content, path: String, completion: @Sendable (Result<String, StorageError>) -> Void)
}

/// A version on its way to the file.
struct PublishRequest<Content: FileContent>: Sendable {
  let content: Content
  let generation: Int
  let completion: @Sendable (Publication<Content>) -> Void
  /// When to stop waiting for an invalid file to become valid.
  let deadline: ContinuousClock.Instant
}

/// Carries jobs from any thread to the thread of a store.
final class FileStoreMailbox<Content: FileContent>: Sendable {
  private struct State {
    var jobs: [FileStoreJob<Content>] = []
    var isClosed = false
  }

  private let state = NIOLockedValueBox(State())
  let wakeSignal: SelfPipe

  init() throws(SystemError) {
    wakeSignal = try SelfPipe()
  }

  /// Adds a job; false when the mailbox is closed.
  func add(_ job: FileStoreJob<Content>) -> Bool {
    let isAdded = state.withLockedValue { state in
      guard !state.isClosed else { return false }
      state.jobs.append(job)
      return true
    }
    if isAdded { wakeSignal.send() }
    return isAdded
  }

  /// Takes all jobs, in order, and returns whether more can come.
  func take() -> (jobs: [FileStoreJob<Content>], isClosed: Bool) {
    state.withLockedValue { state in
      defer { state.jobs = [] }
      return (state.jobs, state.isClosed)
    }
  }

  func close() {
    state.withLockedValue { $0.isClosed = true }
    wakeSignal.send()
  }
}
