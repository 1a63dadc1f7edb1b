#if PostgreSQL
  import JSONStorage
  import Dispatch
  import NIOConcurrencyHelpers

  /// Notices what others write, and tells which version is the newest.
  ///
  /// One thread waits for the database and for those who ask, and sleeps otherwise.
  final class ReadChannel: Sendable {
    typealias Check = @Sendable (Result<Int, StorageError>) -> Void

    /// A request to the thread.
    private struct Requests {
      var checks: [Check] = []
      var isClosed = false
    }

    private let requests = NIOLockedValueBox(Requests())
    private let signal: Signal
    private let versions: SharedVersions
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - onChanges: Called with what others have written that can be served, on the channel's thread.
    ///   - onFailure: Called when the database is not reached any more, and with `nil` when it is again.
    /// - Throws: ``StorageError`` when the process has no file descriptors left.
    init(
      _ address: DatabaseAddress, versions: SharedVersions,
      onChanges: @escaping @Sendable (LoadedSource) -> Void,
      onFailure: @escaping @Sendable (StorageError?) -> Void
    ) throws(StorageError) {
      signal = try Signal(address)
      self.versions = versions
      DispatchQueue(label: "swift-json-server.reads", qos: .userInitiated).async { [self] in
        var listener = Listener(address, versions, onChanges: onChanges, onFailure: onFailure)
        run(&listener)
        ended.signal()
      }
    }

    /// Finds out the newest version, and reports the changes up to it first.
    func check(_ completion: @escaping Check) {
      let isClosed = requests.withLockedValue { requests in
        if !requests.isClosed { requests.checks.append(completion) }
        return requests.isClosed
      }
      if isClosed {
        return completion(.failure(versions.failure ?? StorageError(.unavailable, "The server is stopping.")))
      }
      signal.send()
    }

    /// Reports what others have written while a commit was under way.
    func catchUp() {
      if versions.isBehind { signal.send() }
    }

    /// Disconnects; nothing is reported any more. Blocks until that is done.
    func close() {
      requests.withLockedValue { $0.isClosed = true }
      signal.send()
      ended.wait()
      // A second close does not wait forever.
      ended.signal()
    }

    private func run(_ listener: inout Listener) {
      listener.connect()
      while true {
        let asked = requests.withLockedValue { requests in
          defer { requests.checks = [] }
          return requests
        }
        if !asked.checks.isEmpty {
          let result = Result { () throws(StorageError) in try listener.newest() }
          for completion in asked.checks { completion(result) }
        }
        if asked.isClosed { return }
        listener.fetchChanges()
        let hasInput = signal.wait(with: listener.connection, until: listener.due)
        if hasInput { listener.receive() }
        listener.doWhatIsDue()
      }
    }
  }
#endif
