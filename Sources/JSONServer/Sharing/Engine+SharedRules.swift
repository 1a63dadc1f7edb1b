import JSONStorage
import OrderedJSON

extension Engine {
  /// Takes over what servers share besides the data.
  func take(_ state: SharedState) {
    // What was read earlier may arrive later.
    guard state.version >= sharedVersion else { return }
    sharedVersion = state.version
    var rules: [(Int, Rule)] = []
    for (id, shared) in state.rules {
      do throws(RequestError) {
        rules.append((id, try shared.rule()))
      } catch {
        configuration.onEvent(
          .warning("The \(shared.kind.rawValue) \(id) of the database cannot be used: \(error.message)"))
      }
    }
    simulation.rules.replaceShared(with: rules)
    settings = Settings(configuration, changedBy: state.settings)
    if let signIn { forgetTokens(signIn) }
  }

  /// Changes what servers share.
  func change(
    _ change: SharedChange, in shared: any SharedPersistence,
    _ completion: @escaping Completion<Int>
  ) {
    shared.change(change) { result in
      self.execute { engine in
        if case .success(let outcome) = result { engine.take(outcome.state) }
        completion(engine, result.map(\.number).mapError(RequestError.init))
      }
    }
  }

  /// Goes on when the counts of the rules of a kind are those of all servers.
  func readRules(_ kind: Rule.Kind, _ completion: @escaping Completion<Void>) {
    guard kind.isShared, let shared = writes.shared else { return completion(self, .success(())) }
    shared.readState { result in
      self.execute { engine in
        if case .success(let state) = result { engine.take(state) }
        completion(engine, result.map { _ in }.mapError(RequestError.init))
      }
    }
  }
}
