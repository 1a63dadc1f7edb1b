import NIOCore

/// The time limits of a connection that waits for its client.
///
/// The alarm is set to the earliest moment that can matter, and then checks whether the time is over; a request with an
/// immediate response only reads the clock.
struct IdleTimeouts {
  /// The size of a part of a body; a client that sends less in the time of a part is too slow.
  fileprivate static let bodyStep = 16 * 1024

  /// The bytes of the current part of a body.
  var bodyBytes = 0
  fileprivate var wait: HTTPConnectionState.Wait?
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
  /// Updates the wait of the connection. A wait of the same kind keeps its deadline; only an idle wait starts anew.
  func updateTimeouts() {
    guard let context else { return }
    let next = state.wait(isWritable: context.channel.isWritable, isHeldUp: isHeldUp, isIdle: isIdle)
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
