import HTTPTypes
import NIOCore
import NIOHTTP1

/// One client's connection: reads requests, passes them to the application, and sends the responses in the requests'
/// order.
///
/// The responses to a burst of input go out with one write at its end. At most ``maximumPending`` requests are with the
/// application at a time, none is passed on while large responses are held, and a request waits for those before it
/// unless both are safe; meanwhile, and while the client does not take its responses, nothing is read.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  /// What the connection is doing with its responses.
  enum Output {
    /// Sending each as soon as its turn has come.
    case ready
    /// Sending the pieces of one as the task produces them.
    case streaming(Task<Void, Never>)
    /// Sending the slices of one as the client takes them.
    case slicing(SliceState)
    /// Nothing ever again, as the application asked.
    case silent
    /// Sending what is written; then it closes.
    case closing
  }

  /// The requests that the application may have before it has responded.
  static let maximumPending = 64
  /// Above this, responses are sent before the application is given more.
  static let maximumUnflushed = 64 * 1024
  /// How long a client that sends many requests at once yields to others: long enough for the loop to see its sockets,
  /// which it does not while it has work that is due.
  static let respite = TimeAmount.microseconds(100)

  let connections: Connections
  var context: ChannelHandlerContext?
  var stream = StreamState()
  var isInputClosed = false

  // The loop's thread alone uses these, and nothing that changes one of them calls back while it does. To have each access
  // checked at run time took a twentieth of a small request.
  @exclusivity(unchecked) var output = Output.ready
  @exclusivity(unchecked) var outbound = ByteBuffer()
  @exclusivity(unchecked) var idleTimeouts = IdleTimeouts()
  @exclusivity(unchecked) var reader: RequestReader
  @exclusivity(unchecked) private(set) var responses = ResponseQueue()
  /// What was read and may not begin yet.
  @exclusivity(unchecked) private var backlog = CircularBuffer<Arrival>()

  private var isInBurst = false
  private var isSending = false
  private var owesContinue = false
  /// Whether a client that sends no more was asked within a second whether it is still there.
  var isAskingForClient = false
  private var isReadUnderWay = false
  private var isGivingWay = false
  /// What to do when the client goes away before a request that is held has its response.
  var disconnectActions: [Int: @Sendable () -> Void] = [:]
  /// What to do when the connection ends before a response is calculated.
  var endActions: [Int: @Sendable () -> Void] = [:]
  /// Whether it came when there were as many connections as there may be.
  private var isExtra = false
  /// Whether the application has made a response that is the last on the connection.
  private var hasLastResponse = false

  static let interimResponse: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

  private enum Arrival {
    case request(Request, ResponseForm)
    case refusal(RequestError, ResponseForm)
  }

  init(_ connections: Connections) {
    self.connections = connections
    reader = RequestReader(limits: connections.limits)
  }

  /// Whether every request has its response.
  var isIdle: Bool { responses.isEmpty && backlog.isEmpty }

  /// Whether requests wait for those before them; until they begin, nothing is read.
  var isHeldUp: Bool { !backlog.isEmpty }

  /// Whether no request can follow those that are pending.
  var isEnding: Bool { isInputClosed || connections.isShuttingDown && !reader.isInRequest }

  /// Whether more input would be used.
  var wantsInput: Bool {
    guard let context else { return false }
    switch output {
    case .closing: return true
    case .ready, .streaming, .slicing, .silent: return backlog.isEmpty && context.channel.isWritable
    }
  }

  // MARK: Input

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connections.insert(self)
    isExtra = connections.isCrowded
  }

  func channelActive(context: ChannelHandlerContext) {
    updateTimeouts()
    readMore()
  }

  func channelInactive(context: ChannelHandlerContext) {
    detach()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    detach()
  }

  /// Takes the requests whose head is known off the input, before the parser gets it.
  func takeKnownRequests(from input: inout ByteBuffer) {
    while input.readableBytes > 0, let (request, form) = reader.takeKnownRequest(from: &input) {
      isInBurst = true
      take(.request(request, form))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isInBurst = true
    do throws(RequestError) {
      switch Self.unwrapInboundIn(data) {
      case .head(let head):
        owesContinue = try reader.begin(head)
      case .body(let bytes):
        owesContinue = false
        idleTimeouts.recordBody(bytes.readableBytes)
        try reader.append(bytes)
      case .end(let trailers):
        owesContinue = false
        if let (request, form) = try reader.end(trailers) { take(.request(request, form)) }
      }
    } catch {
      refuse(error)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReadUnderWay = false
    idleTimeouts.recordBurst(broughtParts: isInBurst, isInRequest: reader.isInRequest)
    isInBurst = false
    sendReady()
    readMore()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed? = event as? ChannelEvent else {
      context.fireUserInboundEventTriggered(event)
      return
    }
    isInputClosed = true
    reader.stop()
    reportDisconnect()
    switch output {
    case .ready:
      sendReady()
      askForClient()
    // The client may have sent all it wants to, and still read; if it has gone, the next write fails.
    case .streaming where !stream.isEndless: break
    case .slicing: break
    case .closing where !idleTimeouts.isLingering: break
    case .streaming, .silent, .closing: closeNow()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = RequestError(parser: error) else { return closeNow() }
    refuse(error)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      stream.resume()
      resumeSlices()
      sendReady()
      readMore()
    }
    updateTimeouts()
  }

  /// Responds with an error after the responses before it, and then closes; does nothing when that has begun.
  func refuse(_ error: RequestError) {
    guard !reader.isStopped else { return reader.drop() }
    owesContinue = false
    reader.stop()
    take(.refusal(error, ResponseForm(isHeadOnly: reader.isHeadOnly, isRefusal: true)))
  }

  /// Allows input as long as it is of use.
  ///
  /// The channel reads only when asked, so that a client which floods the server waits in its own send buffer.
  func readMore() {
    guard !isReadUnderWay, !isInputClosed, wantsInput, let context else { return }
    isReadUnderWay = true
    context.read()
  }

  // MARK: Responses

  private func take(_ arrival: Arrival) {
    if isExtra, case .request(let request, _) = arrival, connections.isCrowded, !request.path.contains("/__admin") {
      return refuse(
        RequestError(
          .unavailable, "The server has as many connections as it may have; close some, or try again when others have.")
      )
    }
    if backlog.isEmpty, mayBegin(arrival) {
      begin(arrival)
    } else {
      backlog.append(arrival)
    }
    if !isInBurst { sendReady() }
  }

  /// Whether what was read may begin, given what has begun and what is held.
  private func mayBegin(_ arrival: Arrival) -> Bool {
    guard !hasLastResponse, responses.count < Self.maximumPending,
      responses.heldBytes + outbound.readableBytes <= Self.maximumUnflushed
    else { return false }
    switch arrival {
    case .request(let request, _): return responses.mayBegin(isSafe: request.isSafe)
    case .refusal: return true
    }
  }

  private func begin(_ arrival: Arrival) {
    guard let context else { return }
    switch arrival {
    case .request(let request, let form):
      let number = responses.append(form, isSafe: request.isSafe)
      let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
      connections.application.respond(to: request) { progress in
        connection.value.record(progress, of: number)
      } reply: { response in
        connection.value.receive(response, for: number)
      }
    case .refusal(let error, let form):
      let number = responses.append(form, isSafe: true)
      responses.put(error.response(), at: number)
    }
  }

  private func record(_ progress: RequestProgress, of number: Int) {
    switch progress {
    case .tookEffect:
      guard responses.recordEffect(of: number), isHeldUp else { return }
      goOn()
    case .held(let onDisconnect):
      guard context != nil, !isInputClosed else { return onDisconnect() }
      disconnectActions[number] = onDisconnect
    case .calculating(let onEnd):
      guard context != nil else { return onEnd() }
      endActions[number] = onEnd
      if isInputClosed { askForClient() }
    }
  }

  private func receive(_ response: consuming PreparedResponse, for number: Int) {
    guard context != nil else { return }
    if !disconnectActions.isEmpty { disconnectActions[number] = nil }
    if !endActions.isEmpty { endActions[number] = nil }
    if response.isLast { hasLastResponse = true }
    responses.put(response, at: number)
    goOn()
  }

  private func goOn() {
    guard !isInBurst else { return }
    sendReady()
    readMore()
  }

  /// Sends the responses whose turn has come, and allows the next requests to begin.
  func sendReady() {
    // An application that responds at once calls back from within this function; the loop below sees its response.
    guard !isSending else { return }
    isSending = true
    while case .ready = output, !isIdle, let context, context.channel.isWritable {
      if let (form, response) = responses.popReady() {
        send(response, form)
        guard outbound.readableBytes > Self.maximumUnflushed else { continue }
        flush()
        if !isIdle {
          giveWay(context)
          break
        }
      } else if let next = backlog.first, mayBegin(next) {
        backlog.removeFirst()
        begin(next)
      } else {
        break
      }
    }
    isSending = false
    if case .ready = output, isIdle {
      sendContinue()
      if isEnding { closeAfterFlush(lingers: false) }
    }
    if let context, outbound.readableBytes > 0 { connections.flushSoon(self, on: context.eventLoop) }
    updateTimeouts()
  }

  /// Continues with the responses when other connections have had their turn.
  private func giveWay(_ context: ChannelHandlerContext) {
    guard !isGivingWay else { return }
    isGivingWay = true
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.respite) {
      connection.value.isGivingWay = false
      connection.value.sendReady()
      connection.value.readMore()
    }
  }

  /// Allows the client to send the body, once all requests before have their responses.
  private func sendContinue() {
    guard owesContinue else { return }
    owesContinue = false
    outbound.writeStaticString(Self.interimResponse)
  }

  /// Drops the requests; for a connection that will send no more responses.
  func releaseRequests() {
    responses.removeAll()
    backlog.removeAll()
    outbound = ByteBuffer()
  }

  /// Makes a connection and the handlers before it in its channel: the parser, the cache that spares it work, and what
  /// decrypts.
  static func handlers(_ connections: Connections) -> [any ChannelHandler] {
    let connection = HTTPConnection(connections)
    let handlers: [any ChannelHandler] = [RequestHeadCacheHandler(connection), RequestParser(connection), connection]
    guard let security = connections.security else { return handlers }
    return [TLSDetector(security, connection)] + handlers
  }
}

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
