import JSONStorage
import OrderedJSON

#if PostgreSQL
  import PostgreSQLStorage

  extension PostgreSQLPersistence {
    func readState(_ completion: @escaping @Sendable (Result<SharedState, StorageError>) -> Void) {
      database.readSimulation { completion($0.map(SharedState.init).mapError(StorageError.init)) }
    }

    func change(
      _ change: SharedChange, completion: @escaping @Sendable (Result<SharedChange.Outcome, StorageError>) -> Void
    ) {
      switch change {
      case .add(let rule, let own):
        database.addRule(rule.kind.rawValue, rule.value.text(pretty: false), times: rule.times, after: own) {
          completion($0.outcome { $0 })
        }
      case .remove(let kind, let id):
        database.removeRules(kind.rawValue, id) { completion($0.outcome { $0 ? 1 : 0 }) }
      case .set(let members):
        let settings = members.map { (name: $0.name, value: $0.value.text(pretty: false)) }
        database.set(settings) { completion($0.outcome { _ in 0 }) }
      case .revoke(let token):
        database.revoke(token) { completion($0.outcome { $0 ? 1 : 0 }) }
      case .expireTokens(let now):
        database.expireTokens(now: now.milliseconds) { completion($0.outcome { $0 }) }
      }
    }

    func meet(
      _ kind: Rule.Kind, _ id: Int,
      completion: @escaping @Sendable (Result<SharedRule.Meeting?, StorageError>) -> Void
    ) {
      database.meetRule(kind.rawValue, id) { result in
        completion(
          result.map { $0.map { SharedRule.Meeting(count: $0.count, timesLeft: $0.timesLeft) } }
            .mapError(StorageError.init))
      }
    }

    // MARK: Snapshots

    func snapshots(_ completion: @escaping @Sendable (Result<[Snapshots.Entry], StorageError>) -> Void) {
      database.snapshots { result in
        completion(
          result.map { $0.map { Snapshots.Entry(name: $0.name, time: Double($0.milliseconds) / 1000) } }
            .mapError(StorageError.init))
      }
    }

    func saveSnapshot(named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
      database.saveSnapshot(named: name) { completion($0.mapError(StorageError.init)) }
    }

    func restoreSnapshot(named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void) {
      database.restoreSnapshot(named: name) { completion($0.mapError(StorageError.init)) }
    }

    func removeSnapshot(_ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void) {
      database.removeSnapshot(name) { completion($0.mapError(StorageError.init)) }
    }

    // MARK: Tokens

    func add(
      _ tokens: [SharedToken], now: Double, completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
      database.add(tokens.map(StoredToken.init), now: now.milliseconds) { completion($0.mapError(StorageError.init)) }
    }

    func token(_ text: String, completion: @escaping @Sendable (Result<SharedToken?, StorageError>) -> Void) {
      database.token(text) { result in
        completion(result.map { $0.map(SharedToken.init) }.mapError(StorageError.init))
      }
    }

    func renew(
      _ text: String, as tokens: [SharedToken], now: Double,
      completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void
    ) {
      database.renew(text, as: tokens.map(StoredToken.init), now: now.milliseconds) {
        completion($0.mapError(StorageError.init))
      }
    }
  }

  // MARK: What is stored, in the words of the engine

  extension SharedState {
    init(_ stored: StoredSimulation) {
      version = stored.version
      rules = stored.rules.compactMap { rule in
        guard let kind = Rule.Kind(rawValue: rule.kind), let value = try? JSONValue(parsing: rule.text) else {
          return nil
        }
        return (rule.id, SharedRule(kind: kind, value: value, times: rule.timesLeft))
      }
      settings = stored.settings.flatMap { try? JSONValue(parsing: $0) }?.object ?? JSONObject()
    }
  }

  extension SharedToken {
    fileprivate init(_ stored: StoredToken) {
      self.init(
        text: stored.text, isRefresh: stored.isRefresh, origin: stored.origin,
        holder: Tokens.Holder(user: stored.user, email: stored.email), slot: stored.slot,
        end: Double(stored.end) / 1000)
    }
  }

  extension StoredToken {
    fileprivate init(_ token: SharedToken) {
      self.init(
        token.text, isRefresh: token.isRefresh, origin: token.origin, user: token.holder.user, slot: token.slot,
        email: token.holder.email, end: token.end.milliseconds)
    }
  }

  extension Result where Failure == DatabaseFailure {
    /// What came of a change.
    fileprivate func outcome<Value>(
      _ number: (Value) -> Int
    ) -> Result<SharedChange.Outcome, StorageError> where Success == (Value, StoredSimulation) {
      map { SharedChange.Outcome(number: number($0.0), state: SharedState($0.1)) }.mapError(StorageError.init)
    }
  }

  extension Double {
    /// Seconds in whole milliseconds.
    fileprivate var milliseconds: Int { Int(self * 1000) }
  }
#endif
