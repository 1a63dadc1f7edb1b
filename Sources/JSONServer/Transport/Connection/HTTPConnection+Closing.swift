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
}

// MARK: - Clients that have gone

extension HTTPConnection {
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
