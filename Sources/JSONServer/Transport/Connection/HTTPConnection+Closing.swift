import HTTPTypes
import NIOCore

extension HTTPConnection {
  /// How long a client may go on sending before it reads the response to its last request.
  static let lingerTime = Duration.seconds(5)

  /// Closes when all that was written is sent.
  ///
  /// - Parameter lingers: Whether the client may still be sending, whatever it has sent by now. Then only the sending
  ///   side is closed and what comes is dropped, since a full close would reset the connection and take the response
  ///   with it (RFC 9112, section 9.6).
  func closeAfterFlush(lingers: Bool) {
    guard let context else { return }
    output = .closing
    reader.stop()
    let bytes = outbound
    outbound = ByteBuffer()
    let sent = context.eventLoop.makePromise(of: Void.self)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let isSecure = connections.security != nil
    sent.futureResult.whenComplete { _ in
      guard isSecure else { return connection.value.finishClosing(lingers: lingers) }
      // TLS has a farewell to write, which within this flush would not go out before the close.
      connection.eventLoop.execute { connection.value.finishClosing(lingers: lingers) }
    }
    context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: sent)
  }

  private func finishClosing(lingers: Bool) {
    guard let context else { return }
    if lingers || reader.hasDroppedInput, !isInputClosed, !connections.isShuttingDown {
      idleTimeouts.linger()
      context.close(mode: .output, promise: nil)
      updateTimeouts()
    } else {
      closeNow()
    }
  }

  /// Finishes the requests in progress and closes; an endless stream ends, since it would have no other end.
  func shutDown() {
    switch output {
    case .ready: sendReady()
    case .streaming(let task): if stream.isEndless { task.cancel() }
    case .slicing: break
    case .silent: closeNow()
    case .closing: if idleTimeouts.isLingering { closeNow() }
    }
  }

  /// Closes immediately, and drops what is not sent yet.
  func closeNow() {
    reader.stop()
    context?.close(promise: nil)
  }

  /// Closes so that the client sees a reset.
  func reset() {
    guard let context else { return }
    flush()
    if let socket = context.channel as? any SocketOptionProvider {
      // The two members of the C struct linger: on, and for no time.
      _ = socket.unsafeSetSocketOption(level: .socket, name: .so_linger, value: (CInt(1), CInt(0)))
    }
    output = .closing
    guard connections.security != nil else { return closeNow() }
    reader.stop()
    // TLS would send its farewell first.
    context.triggerUserOutboundEvent(TLSDetector.Abort(), promise: nil)
  }

  /// Releases all that a closed connection held; later responses are dropped.
  func detach() {
    guard context != nil else { return }
    context = nil
    switch output {
    case .streaming(let task): task.cancel()
    case .slicing(let state): state.producer.cancel()
    case .ready, .silent, .closing: break
    }
    output = .closing
    stream.abandon()
    idleTimeouts.end()
    reportDisconnect()
    reportEnd()
    releaseRequests()
    connections.remove(self)
  }

  // MARK: Clients that have gone

  /// Finds out whether a client that sends no more has gone, or waits for the responses that are being calculated.
  ///
  /// Only a write tells: one that has gone answers it with a reset. Whoever waits passes over an interim response (RFC 9110,
  /// section 15.2), which HTTP/1.0 does not know. It is asked each second: its system may go on receiving for a while, as TLS
  /// libraries do that wait for the other side's end.
  func askForClient() {
    guard !isAskingForClient, !endActions.isEmpty, case .ready = output, responses.firstForm?.isLegacy == false,
      let context
    else { return }
    isAskingForClient = true
    outbound.writeStaticString(Self.interimResponse)
    flush()
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .seconds(1)) {
      connection.value.isAskingForClient = false
      connection.value.askForClient()
    }
  }

  /// Notifies the application that nobody will read the responses that it calculates.
  func reportEnd() {
    let actions = endActions
    endActions = [:]
    for action in actions.values { action() }
  }

  /// Notifies the application that the client of the requests that are held has gone.
  func reportDisconnect() {
    let actions = disconnectActions
    disconnectActions = [:]
    for action in actions.values { action() }
  }
}

/// How long a connection waits for its client, and for what.
///
/// The alarm is set for the earliest moment that can matter, and checks then whether the time has come; a request
/// with an immediate response costs a look at the clock.
struct IdleTimeouts {
  /// What the connection waits for.
  enum Wait {
    /// The next request, or the client to take its responses; slow progress on them counts as progress.
    case idle
    /// The rest of a request's head.
    case head
    /// The next step of a body.
    case body
    /// The client to close after its last response.
    case close
  }

  /// The bytes that make a step of a body; a client that sends fewer in the time of a step is too slow.
  private static let bodyStep = 16 * 1024

  private(set) var wait: Wait?
  private(set) var deadline = NIODeadline.distantFuture
  private(set) var isLingering = false
  private var isInHead = false
  private var bodyBytes = 0
  private var alarm: (scheduled: Scheduled<Void>, time: NIODeadline)?
  /// The bytes that the client had not taken when the alarm last went off.
  private var unsentBytes = 0

  /// Records what a burst of input was: bytes that complete no part are the beginning of a head.
  mutating func recordBurst(broughtParts: Bool, isInRequest: Bool) {
    isInHead = !broughtParts && !isInRequest
  }

  mutating func recordBody(_ count: Int) {
    bodyBytes += count
  }

  mutating func linger() {
    isLingering = true
  }

  /// Sets what is waited for; a wait that continues keeps its deadline, except idling, which begins anew.
  ///
  /// - Parameters:
  ///   - owesReading: Whether the client has to take what was sent before anything else happens.
  ///   - isHeldUp: Whether nothing is read because requests wait for those before them, or what is read is not used.
  mutating func update(
    isInRequest: Bool, isIdle: Bool, owesReading: Bool, isHeldUp: Bool, limits: Limits, now: NIODeadline
  ) {
    let next: Wait? =
      if isLingering { .close } else if owesReading { .idle } else if isHeldUp { nil } else if isInRequest {
        .body
      } else if isInHead { .head } else if isIdle { .idle } else { nil }
    let isSameStep = next == wait && next != .idle && !(next == .body && bodyBytes >= Self.bodyStep)
    guard !isSameStep else { return }
    wait = next
    bodyBytes = 0
    deadline =
      switch next {
      case .idle: now + TimeAmount(limits.idleTimeout)
      case .head: now + TimeAmount(limits.headTimeout)
      case .body: now + TimeAmount(limits.bodyTimeout)
      case .close: now + TimeAmount(min(limits.idleTimeout, HTTPConnection.lingerTime))
      case nil: .distantFuture
      }
  }

  /// Whether the alarm goes off too late, or is not set.
  var needsAlarm: Bool {
    deadline < alarm?.time ?? .distantFuture
  }

  /// Sets the alarm to the deadline.
  mutating func setAlarm(on loop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
    alarm?.scheduled.cancel()
    alarm = (loop.scheduleTask(deadline: deadline, action), deadline)
  }

  /// Records that the alarm went off.
  ///
  /// - Parameter unsentBytes: The bytes that the client has not taken.
  /// - Returns: What the client has failed to do in time; nil when its time has not come yet.
  mutating func alarmRang(unsentBytes: Int, limits: Limits, now: NIODeadline) -> Wait? {
    alarm = nil
    let isReading = unsentBytes != self.unsentBytes && unsentBytes > 0
    self.unsentBytes = unsentBytes
    guard let wait, now >= deadline else { return nil }
    if wait == .idle, isReading {
      deadline = now + TimeAmount(limits.idleTimeout)
      return nil
    }
    return wait
  }

  /// Waits for nothing any more.
  mutating func end() {
    alarm?.scheduled.cancel()
    alarm = nil
    wait = nil
    deadline = .distantFuture
  }
}

extension HTTPConnection {
  /// Updates what the connection waits for after something has happened.
  func updateTimeouts() {
    guard let context else { return }
    idleTimeouts.update(
      isInRequest: reader.isInRequest, isIdle: isIdle && !isBusyWithOutput,
      owesReading: isClosing || !context.channel.isWritable, isHeldUp: isHeldUp || isSilent, limits: connections.limits,
      now: context.eventLoop.now)
    setAlarm(context)
  }

  private var isBusyWithOutput: Bool {
    switch output {
    case .ready, .closing: false
    case .streaming, .slicing, .silent: true
    }
  }

  private var isSilent: Bool {
    if case .silent = output { true } else { false }
  }

  private var isClosing: Bool {
    if case .closing = output { true } else { false }
  }

  private func setAlarm(_ context: ChannelHandlerContext) {
    guard idleTimeouts.needsAlarm else { return }
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    idleTimeouts.setAlarm(on: context.eventLoop) { connection.value.alarmRang() }
  }

  private func alarmRang() {
    guard let context else { return }
    let unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    switch idleTimeouts.alarmRang(unsentBytes: unsent, limits: connections.limits, now: context.eventLoop.now) {
    case nil: setAlarm(context)
    case .idle, .close: closeNow()
    case .head: refuse(RequestError(.timeout, "The request's head did not come in time."))
    case .body: refuse(RequestError(.timeout, "The request's body did not come in time."))
    }
  }
}
