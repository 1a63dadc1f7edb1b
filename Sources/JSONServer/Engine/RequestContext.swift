import HTTPTypes
import NIOConcurrencyHelpers

/// A request on its way to its response, with what was parsed of it.
///
/// A class, because it is passed on at each step, where a copy would cost a dozen reference counts.
final class RequestContext: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is carried out: its method overridden, its target rewritten.
  let request: Request
  /// The path and the query of ``request``, parsed once; empty when the request was refused before that.
  let target: ParsedTarget
  /// The target below the path under which the server is mounted, before it was rewritten.
  let mountedTarget: String
  /// Whether letter case makes no difference in the paths that patterns are compared with.
  let ignoresCase: Bool
  /// The system's uptime when the request arrived.
  let started: Duration
  /// Whether the request addresses the admin interface.
  ///
  /// Decided here alone, by the decoded path.
  let isAdministrative: Bool
  /// Whether nobody is to see the request: it meets no delay, fault or stub, and leaves no trace in journal, events or log.
  ///
  /// The admin interface's are, and what the page at `/` asks for itself. Found out once: looking a field up costs as much
  /// as a step of the pipeline.
  let isHidden: Bool
  /// The guard that its path began with; `nil` for none.
  let guardPrefix: Guard?
  /// The operation, where the body was parsed on another thread.
  let parsed: ParsedEndpoint?
  /// How many commits of the request collided with an edit of the file.
  let attempts: Int
  /// Whether an edit of the file was taken over while the request waited, so that its client cannot have seen that.
  let isOvertaken: Bool
  /// Whether the response goes back to middleware, or to Swift code, instead of to a client.
  let isInner: Bool
  /// The rules that it met; `nil` for none yet. Middleware passes on a request of its own making, which shares it.
  let notes: NIOLockedValueBox<MatchNotes>?
  /// Reports what becomes of it before its response is due.
  let progress: @Sendable (RequestProgress) -> Void
  let reply: Reply

  init(
    _ original: Request, preprocessed request: Request, target: ParsedTarget, mountedTarget: String,
    ignoresCase: Bool, started: Duration = System.uptime, guardPrefix: Guard? = nil,
    parsed: ParsedEndpoint? = nil, attempts: Int = 0, isOvertaken: Bool = false, isInner: Bool = false,
    notes: NIOLockedValueBox<MatchNotes>? = nil,
    progress: @escaping @Sendable (RequestProgress) -> Void = { _ in },
    reply: @escaping Reply
  ) {
    self.original = original
    self.request = request
    self.target = target
    isAdministrative = target.path.segments.first == AdminRoute.root
    isHidden = isAdministrative || original.has(.page)
    self.mountedTarget = mountedTarget
    self.ignoresCase = ignoresCase
    self.started = started
    self.guardPrefix = guardPrefix
    self.parsed = parsed
    self.attempts = attempts
    self.isOvertaken = isOvertaken
    self.isInner = isInner
    self.notes = notes
    self.progress = progress
    self.reply = reply
  }

  /// The same request after a commit of it collided with an edit of the file.
  var nextAttempt: RequestContext { copy(attempts: attempts + 1, isOvertaken: isOvertaken, notes: notes) }

  /// The same request after an edit of the file was taken over while it waited.
  var overtaken: RequestContext { isOvertaken ? self : copy(attempts: attempts, isOvertaken: true, notes: notes) }

  /// The same request, with notes of what it has met.
  func noting(_ change: (inout MatchNotes) -> Void) -> RequestContext {
    let noted = notes == nil ? withNotes : self
    noted.notes?.withLockedValue(change)
    return noted
  }

  /// The rules that the request has met by now; `nil` for none.
  var met: MatchNotes? { notes?.withLockedValue { $0 } }

  /// The same request, with room for notes.
  var withNotes: RequestContext {
    copy(attempts: attempts, isOvertaken: isOvertaken, notes: NIOLockedValueBox(MatchNotes()))
  }

  private func copy(attempts: Int, isOvertaken: Bool, notes: NIOLockedValueBox<MatchNotes>?) -> RequestContext {
    RequestContext(
      original, preprocessed: request, target: target, mountedTarget: mountedTarget, ignoresCase: ignoresCase,
      started: started, guardPrefix: guardPrefix, parsed: parsed, attempts: attempts, isOvertaken: isOvertaken,
      isInner: isInner, notes: notes, progress: progress, reply: reply)
  }

  /// The same request with what its body was parsed into.
  func with(_ parsed: ParsedEndpoint) -> RequestContext {
    RequestContext(
      original, preprocessed: request, target: target, mountedTarget: mountedTarget, ignoresCase: ignoresCase,
      started: started, guardPrefix: guardPrefix, parsed: parsed, attempts: attempts, isOvertaken: isOvertaken,
      isInner: isInner, notes: notes, progress: progress, reply: reply)
  }

  /// The same request without the guard that its path begins with.
  ///
  /// - Parameter target: What is left of its target.
  /// - Throws: 400, when that cannot be read.
  func removing(_ prefix: Guard, leaving target: String) throws(RequestError) -> RequestContext {
    var request = request
    request.target = target
    return RequestContext(
      original, preprocessed: request, target: try ParsedTarget(target), mountedTarget: mountedTarget,
      ignoresCase: ignoresCase, started: started, guardPrefix: prefix, parsed: parsed, attempts: attempts,
      isOvertaken: isOvertaken, isInner: isInner, notes: notes, progress: progress, reply: reply)
  }

  /// The parts that patterns match, besides the fields and the body.
  var route: EffectiveRoute {
    EffectiveRoute(
      method: request.method, text: request.target, target: target, mountedTarget: mountedTarget,
      ignoresCase: ignoresCase)
  }

  /// The request as patterns look at it.
  var matchable: MatchableRequest { MatchableRequest(original, route) }
}

/// The rules that a request met on its way.
package struct MatchNotes: Sendable {
  /// The pattern of the first rewrite rule that applied.
  var rule: String?
  /// The ids of the fault, the hold and the stub.
  var fault: Int?
  var hold: Int?
  var stub: Int?
  /// The address of the other server that was asked.
  var upstream: String?
  /// Whether a strict server refused it because nothing is there, or nothing understands a parameter.
  var isUnexpected = false
  /// Its number in the journal, when it was recorded there on its arrival.
  var exchangeID: Int?
}

/// The path and the query of a target, decoded.
struct ParsedTarget: Sendable {
  let path: Path
  let parameters: QueryParameters

  /// - Throws: 400, when an escape is bad or there are too many parameters.
  init(_ target: String) throws(RequestError) {
    path = try Path(target: target)
    parameters = try QueryParameters(target: target)
  }

  /// The target of a request that was refused before its target was parsed.
  static let none = ParsedTarget()

  private init() {
    path = Path()
    parameters = QueryParameters()
  }
}
