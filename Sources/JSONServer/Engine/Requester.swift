import JSONServerResources
import JSONServerValues

/// The sender of a change or a read: a client, or Swift code of this process.
struct Requester: Sendable {
  typealias Change = @Sendable (isolated Engine, Requester) throws(RequestError) -> Void

  /// The client's request; `nil` for Swift code.
  let context: RequestContext?
  /// The effects of edits of the file on the change.
  private(set) var editEffects = EditEffects()
  private let perform: Change
  /// Called once, with the response or the error.
  private(set) var completion: Engine.Completion<PreparedResponse>

  /// Creates the requester of a client's request, whose route is known.
  init(_ context: RequestContext, _ route: Route) {
    self.context = context
    editEffects = context.editEffects
    perform = { engine, requester in engine.carryOut(route, context.with(editEffects: requester.editEffects)) }
    completion = { engine, result in
      switch result {
      case .success(let response): engine.finalize(context, response)
      case .failure(let error): engine.finalize(context, error.response())
      }
    }
  }

  /// Creates the requester of Swift code.
  ///
  /// - Parameter perform: Makes the change; called again after an edit of the file.
  init(_ perform: @escaping Change, completion: @escaping Engine.Completion<PreparedResponse>) {
    context = nil
    (self.perform, self.completion) = (perform, completion)
  }

  /// Makes the change: for the first time, after a wait, or again on other data.
  func resume(on engine: isolated Engine) {
    do throws(RequestError) {
      try perform(engine, self)
    } catch {
      completion(engine, .failure(error))
    }
  }

  /// The same requester, for which some work is done after a success and before the response.
  func afterSuccess(
    _ work: @escaping @Sendable (isolated Engine, _ goOn: @escaping @Sendable (isolated Engine) -> Void) -> Void
  ) -> Requester {
    var requester = self
    requester.completion = { [completion] engine, result in
      guard case .success = result else { return completion(engine, result) }
      work(engine) { completion($0, result) }
    }
    return requester
  }

  /// Lets later requests on its connection begin.
  func proceed() { context?.progress(.tookEffect) }

  /// The same requester after another edit of the file.
  func affected(_ change: (inout EditEffects) -> Void) -> Requester {
    var requester = self
    change(&requester.editEffects)
    return requester
  }
}

/// The effects of edits of the file on a change that waits for its turn or for its commit.
struct EditEffects {
  /// The number of commits of the change that collided with an edit.
  var collisions = 0
  /// Whether an edit was loaded while the change waited, so that its sender cannot have seen the edit.
  var hidesEdit = false
}

/// A waiting requester with its response.
struct PendingResponse {
  let requester: Requester
  var response = PreparedResponse.json([:])
  var change: DataChange?
  /// The owners of the deleted records, by id, for subscribers who see only their own; empty without sign-in.
  var owners: [String: String] = [:]
  /// The changed resources; empty when the request is not a write.
  var resources: [String] = []

  /// Whether it changes the shared state.
  var changesState = false

  /// Whether the request is a read that can show the saved data instead of waiting.
  var isRead = false

  /// Whether the request is carried out only when no other server can write.
  var awaitsTurn = false

  var isWrite: Bool { !resources.isEmpty || changesState || awaitsTurn }
}
