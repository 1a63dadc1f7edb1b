import NIOCore

/// The time limits of a connection that waits for its client.
///
/// The alarm is set to the earliest moment that can matter, and then checks whether the time is over; a request with an
/// immediate response only reads the clock.
struct IdleTimeouts {
  /// The event that the connection waits for.
  enum Wait {
    /// The next request, or the client to read its responses; slow reading counts as progress.
    case idle
    /// The rest of a request's head.
    case head
    /// The next part of a body.
    case body
    /// The client to close after its last response.
    case close
  }

  /// The size of a part of a body; a client that sends less in the time of a part is too slow.
  private static let bodyStep = 16 * 1024

  private(set) var wait: Wait?
  private(set) var deadline = NIODeadline.distantFuture
  private(set) var isLingering = false
  private var isInHead = false
  private var bodyBytes = 0
  private var alarm: (scheduled: Scheduled<Void>, time: NIODeadline)?
  /// The bytes that the client had not read when the alarm last went off.
  private var unsentBytes = 0

  /// Records a burst of input: bytes without a complete part are the beginning of a head.
  mutating func recordBurst(broughtParts: Bool, isInRequest: Bool) {
    isInHead = !broughtParts && !isInRequest
  }

  mutating func recordBody(_ count: Int) {
    bodyBytes += count
  }

  mutating func linger() {
    isLingering = true
  }

  /// Sets the wait of the connection. A wait that continues keeps its deadline, except idling, which begins again.
  ///
  /// - Parameters:
  ///   - owesReading: Whether the client must read the sent bytes before anything else happens.
  ///   - isHeldUp: Whether nothing is read because requests wait for earlier ones, or further input is not used.
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
  /// - Parameter unsentBytes: The bytes that the client has not read.
  /// - Returns: The wait whose time is over; `nil` when there is time left.
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

  /// Ends the wait.
  mutating func end() {
    alarm?.scheduled.cancel()
    alarm = nil
    wait = nil
    deadline = .distantFuture
  }
}

extension HTTPConnection {
  /// Updates the wait of the connection.
  func updateTimeouts() {
    guard let context else { return }
    let (isBusy, isSilent, isClosing) =
      switch output {
      case .ready: (false, false, false)
      case .streaming: (true, false, false)
      case .silent: (true, true, false)
      case .closing: (false, false, true)
      }
    idleTimeouts.update(
      isInRequest: reader.isInRequest, isIdle: isIdle && !isBusy, owesReading: isClosing || !context.channel.isWritable,
      isHeldUp: isHeldUp || isSilent, limits: connections.limits, now: context.eventLoop.now)
    setAlarm(context)
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
