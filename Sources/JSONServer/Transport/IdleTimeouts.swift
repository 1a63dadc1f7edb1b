import NIOCore

/// The time limits of a connection that waits for its client.
///
/// The alarm is set to the earliest moment that can matter, and then checks whether the time is over; a request with an
/// immediate response only reads the clock.
struct IdleTimeouts {
  /// The event that the connection waits for.
  fileprivate enum Wait {
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
  fileprivate static let bodyStep = 16 * 1024

  /// Whether the client may continue to send after its last response.
  var isLingering = false
  /// Whether the last burst of input brought only the beginning of a head.
  var isInHead = false
  /// The bytes of the current part of a body.
  var bodyBytes = 0
  fileprivate var wait: Wait?
  fileprivate var deadline = NIODeadline.distantFuture
  fileprivate var alarm: (scheduled: Scheduled<Void>, time: NIODeadline)?
  /// The bytes that the client had not read when the alarm last went off.
  fileprivate var unsentBytes = 0

  /// Ends the wait.
  mutating func end() {
    alarm?.scheduled.cancel()
    alarm = nil
  }
}

extension HTTPConnection {
  /// Updates the wait of the connection. A wait that continues keeps its deadline, except idling, which begins again.
  func updateTimeouts() {
    guard let context else { return }
    let next = wait(context)
    let isNextPart = next == .body && idleTimeouts.bodyBytes >= IdleTimeouts.bodyStep
    guard next != idleTimeouts.wait || next == .idle || isNextPart else { return setAlarm(context) }
    idleTimeouts.wait = next
    idleTimeouts.bodyBytes = 0
    let limits = connections.limits
    let limit: Duration? =
      switch next {
      case .idle: limits.idleTimeout
      case .head: limits.headTimeout
      case .body: limits.bodyTimeout
      case .close: min(limits.idleTimeout, Self.lingerTime)
      case nil: nil
      }
    idleTimeouts.deadline = limit.map { context.eventLoop.now + TimeAmount($0) } ?? .distantFuture
    setAlarm(context)
  }

  /// What the connection waits for; `nil` when its client need not do anything.
  private func wait(_ context: ChannelHandlerContext) -> IdleTimeouts.Wait? {
    let isStreaming: Bool
    switch output {
    case .closing: return idleTimeouts.isLingering ? .close : .idle
    case .silent: return context.channel.isWritable ? nil : .idle
    case .streaming: isStreaming = true
    case .ready: isStreaming = false
    }
    // The client must read before anything else happens.
    if !context.channel.isWritable { return .idle }
    // Nothing is read while requests wait for earlier ones.
    if isHeldUp { return nil }
    if reader.isInRequest { return .body }
    if idleTimeouts.isInHead { return .head }
    return isIdle && !isStreaming ? .idle : nil
  }

  /// Sets the alarm to the deadline, unless it goes off early enough.
  private func setAlarm(_ context: ChannelHandlerContext) {
    guard idleTimeouts.deadline < idleTimeouts.alarm?.time ?? .distantFuture else { return }
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    idleTimeouts.alarm?.scheduled.cancel()
    let deadline = idleTimeouts.deadline
    idleTimeouts.alarm = (
      context.eventLoop.scheduleTask(deadline: deadline) { connection.value.alarmRang() }, deadline
    )
  }

  private func alarmRang() {
    guard let context else { return }
    idleTimeouts.alarm = nil
    let now = context.eventLoop.now
    let unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    let isReading = unsent != idleTimeouts.unsentBytes && unsent > 0
    idleTimeouts.unsentBytes = unsent
    guard now >= idleTimeouts.deadline else { return setAlarm(context) }
    switch idleTimeouts.wait {
    case .idle where isReading:
      idleTimeouts.deadline = now + TimeAmount(connections.limits.idleTimeout)
      setAlarm(context)
    case .idle, .close: closeNow()
    case .head: refuse(RequestError(.timeout, "The request's head did not come in time."))
    case .body: refuse(RequestError(.timeout, "The request's body did not come in time."))
    case nil: break
    }
  }
}
