import NIOCore

/// How long a connection waits for its client, and for what.
///
/// The alarm is set for the earliest moment that can matter, and checks then whether the time has come; a request
/// with an immediate response costs a look at the clock.
struct IdleTimeouts {
  /// The event that the connection waits for.
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

  /// Sets what is waited for; a wait that continues keeps its deadline, except idling, which begins again.
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
