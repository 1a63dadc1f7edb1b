import NIOCore
import NIOHTTP1

/// Puts the requests of one connection together from the parts that the parser gives.
struct RequestReader {
  private enum State {
    case betweenRequests
    case inRequest(RequestHead)
    /// The last request was read, or one was refused; what follows is dropped.
    case stopped
  }

  /// The largest head that is kept for the requests that follow; thousands of connections may be idle.
  private static let keptHeadBytes = 1024

  private let limits: Limits
  private var state = State.betweenRequests
  private var progress = ParserProgress()
  /// The head of the request before, which is that of the next one mostly.
  private var knownHead: RequestHeadCache?
  /// What the parser made of the head that came last.
  private var lastHead: (line: HTTPRequestHead, meaning: RequestHead)?
  private var body: [UInt8] = []
  /// Whether the request that came last is answered without a body.
  private(set) var isHeadOnly = false
  /// Whether something came after the request that was the last.
  private(set) var hasDroppedInput = false

  init(limits: Limits) {
    self.limits = limits
  }

  /// Whether a request's head is there and its end is not.
  var isInRequest: Bool {
    if case .inRequest = state { true } else { false }
  }

  var isStopped: Bool {
    if case .stopped = state { true } else { false }
  }

  /// Takes a head.
  ///
  /// - Returns: Whether the client waits for leave to send the body.
  /// - Throws: The error to refuse the request with.
  mutating func begin(_ line: HTTPRequestHead) throws(HTTPError) -> Bool {
    guard case .betweenRequests = state else {
      drop()
      return false
    }
    isHeadOnly = line.method == .HEAD
    let head = try RequestHead(line, limits: limits)
    lastHead = (line, head)
    if case .length(let length) = head.framing { body.reserveCapacity(min(length, 1 << 20)) }
    state = .inRequest(head)
    return head.expectsContinue
  }

  /// Takes a piece of the body.
  mutating func append(_ bytes: ByteBuffer) throws(HTTPError) {
    guard case .inRequest = state else { return drop() }
    guard body.count + bytes.readableBytes <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
    progress.noteBody(bytes.readableBytes)
    body.append(contentsOf: bytes.readableBytesView)
  }

  /// Takes a request's end.
  ///
  /// - Returns: The request and the form of its answer; nil when nothing is read any more.
  mutating func end() -> (request: Request, form: ResponseForm)? {
    guard case .inRequest(let head) = state else { return nil }
    state = head.form.keepsConnection ? .betweenRequests : .stopped
    progress.noteEnd()
    var request = head.request
    if !body.isEmpty {
      request.body = body
      body = []
    }
    return (request, head.form)
  }

  /// Notes that something came which is not read any more.
  mutating func drop() {
    hasDroppedInput = true
  }

  /// Drops what comes from now on.
  mutating func stop() {
    state = .stopped
    body = []
    lastHead = nil
  }
}

// MARK: - Heads that come again

extension RequestReader {
  /// Takes the next request off the input without the parser, when it has the head of one before.
  ///
  /// - Returns: The request and the form of its answer; nil when the parser must read what is left.
  mutating func takeKnownRequest(from input: inout ByteBuffer) -> (request: Request, form: ResponseForm)? {
    guard let knownHead, case .betweenRequests = state, progress.isBetweenRequests,
      let taken = knownHead.takeRequest(from: &input, limits: limits)
    else { return nil }
    isHeadOnly = taken.form.isHeadOnly
    return taken
  }

  /// Notes what the parser is about to read.
  mutating func willParse(_ input: ByteBuffer) {
    progress.give(input)
  }

  /// Keeps the head that the parser has read, if nothing else was in its input.
  mutating func didParse(_ input: ByteBuffer) {
    defer { lastHead = nil }
    guard let (line, head) = lastHead, progress.hasReadHeadAlone, case .betweenRequests = state else { return }
    let isSmall = input.readableBytes <= Self.keptHeadBytes
    knownHead = isSmall ? RequestHeadCache(input, line: line, meaning: head) : nil
  }
}
