import HTTPTypes
import NIOConcurrencyHelpers

/// A request between arrival and response, with its parsed parts.
///
/// A class, since copying it at each step would cost a dozen reference counts.
final class RequestContext: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is carried out, with the overriding method and the text of ``target``.
  let request: Request
  /// The target after rewriting; ``RequestTarget/none`` when the request was refused before that.
  let target: RequestTarget
  /// The targets before ``target``, which patterns match, too: with the path prefix, and before rewriting.
  let earlierTargets: [RequestTarget]
  /// Whether patterns compare paths without letter case.
  let ignoresCase: Bool
  /// The system's uptime when the request arrived.
  let started: Duration
  /// The number in the journal, in the order of arrival.
  let number: Int
  /// The sender. Found once: finding a header field costs as much as a step of the pipeline.
  let sender: Sender
  /// The guards of its path.
  let guards: PathGuards
  /// The operation, if the body was parsed on another thread.
  let parsed: ParsedEndpoint?
  /// What edits of the file have done to the request.
  let editEffects: EditEffects
  /// An earlier read that equals ``original``; `nil` for none.
  let known: KeptReads.Read?
  /// Whether the response goes to middleware or to Swift code instead of a client.
  let isInner: Bool
  /// The rules that matched so far; `nil` for none. Middleware passes on a request of its own, which shares these
  /// notes.
  let notes: NIOLockedValueBox<MatchNotes>?
  /// Reports progress before the response.
  let progress: @Sendable (RequestProgress) -> Void
  let reply: Reply

  init(
    _ original: Request, preprocessed: Request? = nil, target: RequestTarget, earlierTargets: [RequestTarget] = [],
    ignoresCase: Bool, started: Duration = System.uptime, number: Int = 0, guards: PathGuards = PathGuards(),
    parsed: ParsedEndpoint? = nil, editEffects: EditEffects = EditEffects(), known: KeptReads.Read? = nil,
    isInner: Bool = false, notes: NIOLockedValueBox<MatchNotes>? = nil,
    progress: @escaping @Sendable (RequestProgress) -> Void = { _ in },
    reply: @escaping Reply
  ) {
    self.original = original
    var request = preprocessed ?? original
    if request.target != target.text { request.target = target.text }
    self.request = request
    self.target = target
    sender = target.isAdministrative ? .admin : original.has(.page) ? .page : .client
    self.earlierTargets = earlierTargets
    self.ignoresCase = ignoresCase
    self.started = started
    self.number = number
    self.guards = guards
    self.parsed = parsed
    self.editEffects = editEffects
    self.known = known
    self.isInner = isInner
    self.notes = notes
    self.progress = progress
    self.reply = reply
  }

  /// Whether the request is for the admin interface.
  var isAdministrative: Bool { sender == .admin }
  /// Whether rules may delay, slow or answer the request, and another server may have its response.
  var isSimulated: Bool { sender == .client }
  /// Whether the journal, its counts and the log show the request.
  var isJournaled: Bool { sender == .client }
  /// Whether the rights of its user limit the request.
  var isGuarded: Bool { sender == .client }
  /// Whether paths and bodies are those of clients: with the paths of an OpenAPI document, a wrapping member, JSONP.
  var isWrapped: Bool { sender == .client }

  /// The same request with further notes.
  func noting(_ change: (inout MatchNotes) -> Void) -> RequestContext {
    let noted = withNotes
    noted.notes?.withLockedValue(change)
    return noted
  }

  /// The rules that have matched by now; `nil` for none.
  var met: MatchNotes? { notes?.withLockedValue { $0 } }

  /// The same request with room for notes; itself when it has notes.
  var withNotes: RequestContext { notes == nil ? with(notes: NIOLockedValueBox(MatchNotes())) : self }

  /// The same request with other parts; `nil` for the same.
  func with(
    _ request: Request? = nil, _ target: RequestTarget? = nil, number: Int? = nil, guards: PathGuards? = nil,
    parsed: ParsedEndpoint? = nil, editEffects: EditEffects? = nil, notes: NIOLockedValueBox<MatchNotes>? = nil
  ) -> RequestContext {
    RequestContext(
      original, preprocessed: request ?? self.request, target: target ?? self.target,
      earlierTargets: target == nil ? earlierTargets : earlierTargets + [self.target],
      ignoresCase: ignoresCase, started: started, number: number ?? self.number,
      guards: guards ?? self.guards, parsed: parsed ?? self.parsed,
      editEffects: editEffects ?? self.editEffects, known: known, isInner: isInner, notes: notes ?? self.notes,
      progress: progress, reply: reply)
  }

  /// What the page needs in addition to the response to a write; `nil` for a request of others.
  var pageIntent: PageIntent? { sender == .client ? nil : request.headerFields.first(.page).flatMap(PageIntent.init) }

  /// The method and the targets that patterns match.
  var route: EffectiveRoute {
    EffectiveRoute(
      method: request.method, target: target, earlierTargets: earlierTargets, ignoresCase: ignoresCase)
  }

  /// The parts of the request that patterns compare.
  var matchable: MatchableRequest { MatchableRequest(original, route) }
}

/// Who sent a request, and so how it is treated.
enum Sender {
  case client
  /// The page at `/`: a request for data with the page's header field.
  case page
  /// Whoever uses the admin interface.
  case admin
}

/// What the page needs in addition to the response to a write; the value of its header field.
enum PageIntent: String {
  /// The effects of the write, without the write.
  case preview
  /// A number for undoing the write.
  case undo
}

/// The rules that matched a request.
package struct MatchNotes: Sendable {
  /// The pattern of the first rewrite rule that applied.
  var rewriteRule: String?
  /// The ids of the fault, the hold and the stub.
  var fault: Int?
  var hold: Int?
  var stub: Int?
  /// The address of the other server that was called.
  var upstream: String?
  /// Whether a strict server refused the request for an unknown path, method or parameter.
  var isUnexpected = false
  /// How a fault has the response sent that the request gets when it is carried out; `nil` for as it is.
  var delivery: Response.Delivery?
  /// The speed that a fault gives the bodies of the request and of its response; `nil` for that of the server.
  var bytesPerSecond: Int?
  /// Header fields that rules add to the response.
  var addedFields: HTTPFields = [:]
  /// Whether the client went away before the response was there.
  var hasLeft = false
  /// The key under which the response is kept for repetitions of the request; `nil` for none.
  var repetition: Repetitions.Turn?
}
