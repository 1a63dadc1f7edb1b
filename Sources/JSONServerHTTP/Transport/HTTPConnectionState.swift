/// Decides what a connection does next.
///
/// A state machine without effects: the connection reports events, and carries out the action that an event returns. The
/// parts of the state change at times of their own:
///
///     input      idle → head → body → idle                   a request after the other
///                idle → … → stopped                          nothing more is taken
///                any → ended ⇄ asked                         the client sends no more
///     reading    paused → requested → receiving → taking → paused
///     turn       free → sending → free
///                       sending → yielding → free
///     output     ready → streaming, endless → ready
///                ready → silent
///                any → closing → lingering
///     admission  all or administrative → none
struct HTTPConnectionState: Equatable {
  /// What the client has sent of its next request.
  enum Input {
    /// Nothing.
    case idle
    /// The beginning of its head.
    case head
    /// Its head, and perhaps a part of its body.
    case body
    /// Its head; the client waits for permission to send the body.
    case awaitingPermission
    /// Further input is dropped: the last request was read, or one was refused.
    case stopped
    /// The client sends nothing more.
    case ended
    /// The same, and a write asks whether the client still exists; a second later it may ask again.
    case asked
  }

  /// One round of reading from the channel.
  enum Reading {
    case paused
    /// The channel reads when there is input.
    case requested
    /// Bytes have come, and no part of a request yet.
    case receiving
    /// A part of a request was taken; responses wait for the end of the round, and are sent together.
    case taking
  }

  /// Whether the connection sends responses.
  enum Turn {
    case free
    /// Now. An application that responds immediately calls back while the connection sends.
    case sending
    /// After the other connections.
    case yielding
  }

  /// What the connection sends.
  enum Output {
    /// Each response when its turn comes.
    case ready
    /// The pieces of a body.
    case streaming
    /// The pieces of a body that has no end.
    case endless
    /// Nothing any more, as a fault demands.
    case silent
    /// The written bytes; then it closes.
    case closing
    /// Nothing: only the client may still send for a while.
    case lingering
  }

  /// The requests that begin.
  enum Admission {
    case all
    /// Those for the admin interface, since the connection was opened when the maximum number of connections was open.
    case administrative
    /// None: the application has made a response that must be the last.
    case none
  }

  /// What the connection waits for its client to do.
  enum Wait {
    /// To send the next request, or to read its responses; slow reading counts as progress.
    case idle
    /// To send the rest of a request's head.
    case head
    /// To send the next part of a body.
    case body
    /// To close after its last response.
    case close
  }

  enum Event {
    case opened(isCrowded: Bool)
    /// Bytes of HTTP have come.
    case bytesCame
    /// They were a part of a request, or a whole one.
    case partCame
    case headRead(expectsContinue: Bool)
    case bodyRead
    /// The end of a request, perhaps of the last one that is taken.
    case requestRead(isLast: Bool)
    /// Further input is of no use: a request was refused, or no more responses are sent.
    case stopped
    case readCompleted
    case inputEnded
    /// The connection could use more input.
    case inputWanted
    /// A response may be ready.
    case sendingWanted
    case sendingEnded
    /// The connection has sent much, and others wait.
    case yielded
    case turnCame
    /// All requests have their responses.
    case idled
    /// The responses of a client that sends no more are being calculated.
    case clientMayBeGone
    case askedLongAgo
    case lastResponseMade
    case streamBegan(isEndless: Bool)
    case streamEnded
    case silenced
    case closing
    case lingering
    /// The server stops.
    case shutDown
  }

  enum Action: Equatable {
    case nothing
    case read
    case send
    /// Ask a client that may be gone, after sending what is ready.
    case sendAndAsk
    case ask
    /// Permit the client to send the body.
    case permitBody
    case cancelStream
    case close
  }

  private(set) var input = Input.idle
  private(set) var reading = Reading.paused
  private(set) var turn = Turn.free
  private(set) var output = Output.ready
  private(set) var admission = Admission.all

  /// Whether the client sends nothing more.
  var hasInputEnded: Bool { input == .ended || input == .asked }

  /// Whether a request's head was read, and not its end.
  var isInBody: Bool { input == .body || input == .awaitingPermission }

  var isStreaming: Bool { output == .streaming || output == .endless }

  /// Enters an event.
  @inline(__always) @discardableResult
  mutating func report(_ event: Event) -> Action {
    switch event {
    case .opened(let isCrowded): admission = isCrowded ? .administrative : .all
    case .bytesCame: if reading != .taking { reading = .receiving }
    case .partCame: reading = .taking
    case .headRead(let expectsContinue): goOn(to: expectsContinue ? .awaitingPermission : .body)
    case .bodyRead: goOn(to: .body)
    case .requestRead(let isLast): goOn(to: isLast ? .stopped : .idle)
    case .stopped: goOn(to: .stopped)
    case .readCompleted:
      if reading == .receiving, input == .idle { input = .head }
      reading = .paused
    case .inputEnded:
      input = .ended
      return atEndOfInput
    case .inputWanted:
      guard reading == .paused, !hasInputEnded else { return .nothing }
      reading = .requested
      return .read
    case .sendingWanted:
      guard turn == .free else { return .nothing }
      turn = .sending
      return .send
    case .sendingEnded: if turn == .sending { turn = .free }
    case .yielded: turn = .yielding
    case .turnCame: turn = .free
    case .idled:
      guard input == .awaitingPermission else { return .nothing }
      input = .body
      return .permitBody
    case .clientMayBeGone:
      guard input == .ended, output == .ready else { return .nothing }
      input = .asked
      return .ask
    case .askedLongAgo: if input == .asked { input = .ended }
    case .lastResponseMade: admission = .none
    case .streamBegan(let isEndless): output = isEndless ? .endless : .streaming
    case .streamEnded: output = .ready
    case .silenced: output = .silent
    case .closing: output = .closing
    case .lingering: output = .lingering
    case .shutDown: return atShutDown
    }
    return .nothing
  }

  /// After the last request, and after the end of the input, nothing that still comes changes the input.
  private mutating func goOn(to next: Input) {
    if input != .stopped, !hasInputEnded { input = next }
  }

  /// A client may stop sending and still read. If it has disconnected, the next write fails.
  private var atEndOfInput: Action {
    switch output {
    case .ready: .sendAndAsk
    case .streaming, .closing: .nothing
    case .endless, .silent, .lingering: .close
    }
  }

  private var atShutDown: Action {
    switch output {
    case .ready: .send
    case .streaming, .closing: .nothing
    case .endless: .cancelStream
    case .silent, .lingering: .close
    }
  }

  /// What the connection waits for its client to do; `nil` for nothing.
  ///
  /// - Parameters:
  ///   - isWritable: Whether the client has read enough of what was sent.
  ///   - isHeldUp: Whether requests wait for earlier ones; until they begin, nothing is read.
  ///   - isIdle: Whether all requests have their responses.
  func wait(isWritable: Bool, isHeldUp: Bool, isIdle: Bool) -> Wait? {
    switch output {
    case .lingering: return .close
    case .closing: return .idle
    case .silent: return isWritable ? nil : .idle
    case .ready, .streaming, .endless: break
    }
    // The client must read before anything else happens.
    if !isWritable { return .idle }
    if isHeldUp { return nil }
    switch input {
    case .body, .awaitingPermission: return .body
    case .head: return .head
    case .idle, .stopped, .ended, .asked: return isIdle && output == .ready ? .idle : nil
    }
  }
}
