import HTTPTypes
import JSONDatabase
import OrderedJSON

/// The one owner of a server's state: its database, its commits, its journal.
///
/// The actor lives on the event loop of the server's connections, so that a connection calls it without a hop, and
/// nothing else runs while it answers: a reader sees whole versions.
actor Engine: Application {
  nonisolated let loop: ServerLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  let configuration: Server.Configuration
  let ids: IDGenerator
  var gate: Gate
  let persistence: (any Persistence)?
  var database: Database
  var generation: Int
  var commits = CommitQueue()
  var acknowledged = AcknowledgedWrites()
  var hints = Hints()

  init(_ configuration: Server.Configuration, _ source: OpenedSource, ids: IDGenerator, loop: ServerLoop)
    throws(ServerError)
  {
    self.configuration = configuration
    self.ids = ids
    self.loop = loop
    gate = try Gate(configuration)
    persistence = source.persistence
    database = source.loaded.database
    generation = source.loaded.generation
  }

  nonisolated func answer(_ request: Request, reply: @escaping @Sendable (Response) -> Void) {
    assumeIsolated { $0.begin(Call(request, reply: reply)) }
  }

  /// Answers a call, at once or later.
  func begin(_ call: Call) {
    var call = call
    do throws(HTTPError) {
      if let response = try gate.admit(&call.request) {
        finish(call, response)
        return
      }
      let parameters = try QueryParameters(target: call.request.target)
      let delay = try delay(parameters)
      guard delay > .zero else { return route(call, parameters) }
      let delayed = call
      loop.schedule(after: delay) { self.assumeIsolated { $0.route(delayed, parameters) } }
    } catch {
      finish(call, error.response())
    }
  }

  /// `--delay`, or the request's own `_delay` in milliseconds, up to a minute.
  private func delay(_ parameters: QueryParameters) throws(HTTPError) -> Duration {
    guard let milliseconds = try ListParameters.number("_delay", parameters) else { return configuration.delay }
    return .milliseconds(min(max(milliseconds, 0), 60_000))
  }

  /// Answers a call that has been let in.
  func route(_ call: Call, _ parameters: QueryParameters) {
    do throws(HTTPError) {
      let path = try Path(target: call.request.target)
      if let response = gate.special(call.request, path) { return finish(call, response) }
      let endpoint = try Endpoint(call.request, path: path, parameters: parameters, &database)
      if endpoint.isWrite, configuration.isReadOnly {
        throw HTTPError(.forbidden, "The server was started with --read-only; \(call.request.method) is refused.")
      }
      perform(endpoint, call)
    } catch {
      finish(call, error.response())
    }
  }

  private func perform(_ endpoint: Endpoint, _ call: Call) {
    do throws(HTTPError) {
      let answer = try endpoint.answer(call.request, from: &database, ids: ids)
      let changes = database.takeChanges()
      note(answer, call)
      let pending = PendingAnswer(
        call: call, response: answer.response(base: call.request.base), change: answer.change, isWrite: !changes.isEmpty
      )
      if changes.isEmpty {
        answerWhenDurable(pending, endpoint.onlyResource)
      } else if persistence == nil {
        acknowledge(pending)
      } else if commits.add(pending, changes) {
        // Writes that arrive in the same round of the loop join the commit.
        loop.execute { self.assumeIsolated { $0.startCommit() } }
      }
    } catch {
      let pending = PendingAnswer(call: call, response: error.response(), change: nil, isWrite: false)
      answerWhenDurable(pending, endpoint.onlyResource)
    }
  }

  /// Sends an answer that shows nothing a crash could take back: it waits for the commit of what it shows.
  private func answerWhenDurable(_ answer: PendingAnswer, _ resource: String?) {
    if !commits.isIdle, configuration.durability == .full,
      commits.wait(answer, for: resource.flatMap { try? database.position(of: $0) })
    {
      return
    }
    finish(answer.call, answer.response)
  }

  /// Tells of parameters that have no effect, once for each.
  private func note(_ answer: Answer, _ call: Call) {
    for name in answer.unknownParameters {
      if let hint = hints.hint(for: name, path: call.request.path) { configuration.onEvent(.hint(hint)) }
    }
    if case .deleted(let name, let id, _, let dependents)? = answer.change, !dependents.isEmpty {
      let list = dependents.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
      configuration.onEvent(.warning("Deleting /\(name)/\(id) also removed the records that depend on it: \(list)."))
    }
  }

  /// Sends an answer.
  func finish(_ call: Call, _ response: Response) {
    let response = gate.dress(response, for: call.original)
    configuration.onEvent(
      .answered(
        Exchange(
          id: 0, request: call.original, response: response, time: 0, duration: .now - call.started)))
    call.reply(response)
  }
}
