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

  /// The largest section that is kept for the requests that follow.
  private static let keptSectionBytes = 1024

  private let limits: Limits
  private var state = State.betweenRequests
  /// The fields of the request before, which are those of the next one mostly.
  private var knownSection: FieldSection?
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
  mutating func begin(_ head: HTTPRequestHead) throws(HTTPError) -> Bool {
    guard case .betweenRequests = state else {
      drop()
      return false
    }
    isHeadOnly = head.method == .HEAD
    try RequestHead.checkLine(of: head, limits: limits)
    let head = try RequestHead(head, section(of: head.headers), limits: limits)
    if case .length(let length) = head.framing { body.reserveCapacity(min(length, 1 << 20)) }
    state = .inRequest(head)
    return head.expectsContinue
  }

  private mutating func section(of headers: HTTPHeaders) throws(HTTPError) -> FieldSection {
    if let knownSection, knownSection.isMade(of: headers) { return knownSection }
    let section = try FieldSection(headers, limits: limits)
    // Thousands of connections may be idle.
    knownSection = section.byteCount <= Self.keptSectionBytes ? section : nil
    return section
  }

  /// Takes a piece of the body.
  mutating func append(_ bytes: ByteBuffer) throws(HTTPError) {
    guard case .inRequest = state else { return drop() }
    guard body.count + bytes.readableBytes <= limits.maximumBodyBytes else { throw .bodyTooLarge(limits) }
    body.append(contentsOf: bytes.readableBytesView)
  }

  /// Takes a request's end.
  ///
  /// - Returns: The request and the form of its answer; nil when nothing is read any more.
  mutating func end() -> (request: Request, form: AnswerForm)? {
    guard case .inRequest(let head) = state else { return nil }
    state = head.form.keepsConnection ? .betweenRequests : .stopped
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
  }
}
