import HTTPTypes
import NIOCore
import NIOHTTP1

/// A client's connection: reads requests, passes them to the application, and sends the responses in the order of the
/// requests.
///
/// All responses to one burst of input go out in one write. The connection stops reading in three cases: the
/// application has ``maximumPending`` requests, large responses are waiting to be sent, or the client does not read its
/// responses. A request waits for the requests before it, unless all of them are safe.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart

  /// The largest number of requests that the application may have without a response.
  static let maximumPending = 64
  /// With more unsent bytes than this, the connection sends responses before it passes on further requests.
  static let maximumUnflushed = 64 * 1024
  /// How long a client that sends many requests at once yields to others: long enough for the event loop to look at its
  /// other sockets, which it does not do while work is due.
  static let respite = TimeAmount.microseconds(100)

  let connections: Connections
  var context: ChannelHandlerContext?
  var stream = StreamState()

  // Only the event loop's thread uses these, and no change of one of them calls back into this object. Run-time checks
  // of each access took a twentieth of the time of a small request.
  @exclusivity(unchecked) var state = HTTPConnectionState()
  @exclusivity(unchecked) var outbound = ByteBuffer()
  @exclusivity(unchecked) var idleTimeouts = IdleTimeouts()
  @exclusivity(unchecked) var reader: RequestReader
  @exclusivity(unchecked) private(set) var responses = ResponseQueue()
  /// The requests that were read and have not begun.
  @exclusivity(unchecked) private var backlog = CircularBuffer<Arrival>()
  /// The closures to call when the client disconnects before a held request has its response, by request.
  @exclusivity(unchecked) var disconnectActions: [Int: @Sendable () -> Void] = [:]
  /// The closures to call when the connection ends before a response is calculated, by request.
  @exclusivity(unchecked) var endActions: [Int: @Sendable () -> Void] = [:]

  static let interimResponse: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

  private enum Arrival {
    case request(Request, ResponseForm)
    /// An error with the request, if its head was read.
    case refusal(RequestError, Request?, ResponseForm)
  }

  init(_ connections: Connections) {
    self.connections = connections
    reader = RequestReader(limits: connections.limits)
  }

  /// Whether all requests have their responses.
  var isIdle: Bool { responses.isEmpty && backlog.isEmpty }

  /// Whether requests wait for earlier requests; until they begin, nothing is read.
  var isHeldUp: Bool { !backlog.isEmpty }

  /// Whether no request can follow the pending ones.
  var isEnding: Bool { state.hasInputEnded || connections.isShuttingDown && !state.isInBody }

  /// Whether the connection can use more input.
  var wantsInput: Bool {
    guard let context else { return false }
    if state.output == .closing || state.output == .lingering { return true }
    return backlog.isEmpty && context.channel.isWritable
  }

  // MARK: Input

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connections.insert(self)
    state.report(.opened(isCrowded: connections.isCrowded))
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

  /// Takes requests with a known head from new input, without the parser.
  func takeKnownRequests(from input: inout ByteBuffer) {
    state.report(.bytesCame)
    while input.readableBytes > 0, let (request, form) = reader.takeKnownRequest(from: &input) {
      state.report(.partCame)
      take(.request(request, form))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    state.report(.partCame)
    do throws(RequestError) {
      switch Self.unwrapInboundIn(data) {
      case .head(let head):
        state.report(.headRead(expectsContinue: try reader.begin(head)))
      case .body(let bytes):
        state.report(.bodyRead)
        idleTimeouts.bodyBytes += bytes.readableBytes
        try reader.append(bytes)
      case .end(let trailers):
        let read = try reader.end(trailers)
        state.report(.requestRead(isLast: reader.isStopped))
        if let (request, form) = read { take(.request(request, form)) }
      }
    } catch {
      refuse(error)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    state.report(.readCompleted)
    sendReady()
    readMore()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed? = event as? ChannelEvent else {
      context.fireUserInboundEventTriggered(event)
      return
    }
    reader.stop()
    reportDisconnect()
    perform(state.report(.inputEnded))
  }

  /// Ends the reading, whatever the error is, so that the parser reads nothing after one of its own.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = RequestError(parser: error) else { return closeNow() }
    refuse(error)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      stream.writable?.succeed()
      sendReady()
      readMore()
    }
    updateTimeouts()
  }

  /// Responds with an error after the earlier responses, and then closes. Does nothing when the connection is already
  /// closing.
  func refuse(_ error: RequestError) {
    guard !reader.isStopped else { return reader.drop() }
    let request = reader.partialRequest
    stopReading()
    take(.refusal(error, request, ResponseForm(isHeadOnly: reader.isHeadOnly, isRefusal: true)))
  }

  /// Reads more input when the connection can use it.
  ///
  /// The channel reads only on request, so a client that floods the server waits with a full send buffer.
  func readMore() {
    guard wantsInput, state.report(.inputWanted) == .read else { return }
    context?.read()
  }

  /// Drops all further input.
  func stopReading() {
    reader.stop()
    state.report(.stopped)
  }

  /// Carries out an action that an event of the whole connection returned.
  func perform(_ action: HTTPConnectionState.Action) {
    switch action {
    case .send: sendReady()
    case .sendAndAsk:
      sendReady()
      askForClient()
    case .cancelStream: stream.task?.cancel()
    case .close: closeNow()
    case .nothing, .read, .ask, .permitBody: break
    }
  }

  // MARK: Responses

  private func take(_ arrival: Arrival) {
    if state.admission == .administrative, case .request(let request, _) = arrival, connections.isCrowded,
      !connections.application.isAdministrative(request)
    {
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
    if state.reading != .taking { sendReady() }
  }

  /// Whether a request or a refusal may begin, given the pending requests and the unsent bytes.
  private func mayBegin(_ arrival: Arrival) -> Bool {
    guard state.admission != .none, responses.count < Self.maximumPending,
      responses.heldBytes + outbound.readableBytes <= Self.maximumUnflushed
    else { return false }
    switch arrival {
    case .request(let request, _): return responses.mayBegin(isSafe: request.isSafe)
    case .refusal: return true
    }
  }

  private func begin(_ arrival: Arrival) {
    guard let context else { return }
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    switch arrival {
    case .request(let request, let form):
      let number = responses.append(form, isSafe: request.isSafe)
      connections.application.respond(to: request) { progress in
        connection.value.record(progress, of: number)
      } reply: { response in
        connection.value.receive(response, for: number)
      }
    case .refusal(let error, let request, let form):
      let number = responses.append(form, isSafe: true)
      guard let request else { return responses.put(error.response(), at: number) }
      connections.application.refuse(request, with: error) { connection.value.receive($0, for: number) }
    }
  }

  private func record(_ progress: RequestProgress, of number: Int) {
    switch progress {
    case .tookEffect:
      guard responses.recordEffect(of: number), isHeldUp else { return }
      goOn()
    case .held(let onDisconnect):
      guard context != nil, !state.hasInputEnded else { return onDisconnect() }
      disconnectActions[number] = onDisconnect
    case .calculating(let onEnd):
      guard context != nil else { return onEnd() }
      endActions[number] = onEnd
      askForClient()
    }
  }

  private func receive(_ response: consuming PreparedResponse, for number: Int) {
    guard context != nil else { return }
    if !disconnectActions.isEmpty { disconnectActions[number] = nil }
    if !endActions.isEmpty { endActions[number] = nil }
    if response.isLast { state.report(.lastResponseMade) }
    responses.put(consume response, at: number)
    goOn()
  }

  private func goOn() {
    guard state.reading != .taking else { return }
    sendReady()
    readMore()
  }

  /// Sends the responses whose turn has come, and begins further requests.
  func sendReady() {
    // An application that responds immediately calls back into this function; the loop below sees its response.
    guard state.report(.sendingWanted) == .send else { return }
    while state.output == .ready, !isIdle, let context, context.channel.isWritable {
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
    state.report(.sendingEnded)
    if state.output == .ready, isIdle {
      // The client may send the body, once all earlier requests have their responses.
      if state.report(.idled) == .permitBody { outbound.writeStaticString(Self.interimResponse) }
      if isEnding { closeAfterFlush(lingers: false) }
    }
    if let context, outbound.readableBytes > 0 { connections.flushSoon(self, on: context.eventLoop) }
    updateTimeouts()
  }

  /// Continues with the responses after other connections have had their turn.
  private func giveWay(_ context: ChannelHandlerContext) {
    state.report(.yielded)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.respite) {
      connection.value.state.report(.turnCame)
      connection.value.sendReady()
      connection.value.readMore()
    }
  }

  /// Drops the requests of a connection that will send no more responses.
  func releaseRequests() {
    responses.removeAll()
    backlog.removeAll()
    outbound = ByteBuffer()
  }

  /// Creates a connection and the handlers before it in its channel: TLS, the cache of known heads, and the parser.
  static func handlers(_ connections: Connections) -> [any ChannelHandler] {
    let connection = HTTPConnection(connections)
    let handlers: [any ChannelHandler] = [RequestHeadCacheHandler(connection), RequestParser(connection), connection]
    guard let security = connections.security else { return handlers }
    return [TLSDetector(security, connection)] + handlers
  }
}

extension HTTPConnection {
  /// The time that a client may continue to send before it reads its last response.
  static let lingerTime = Duration.seconds(5)

  /// Closes after all written bytes are sent.
  ///
  /// - Parameter lingers: Whether the client may still be sending. Then only the sending side is closed and further
  ///   input is dropped: a full close would reset the connection, and the client could lose the response (RFC 9112,
  ///   section 9.6).
  func closeAfterFlush(lingers: Bool) {
    guard let context else { return }
    state.report(.closing)
    stopReading()
    let sent = context.eventLoop.makePromise(of: Void.self)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    let isSecure = connections.security != nil
    sent.futureResult.whenComplete { _ in
      guard isSecure else { return connection.value.finishClosing(lingers: lingers) }
      // TLS still has to write its closing alert, which would not be sent within this flush.
      connection.eventLoop.execute { connection.value.finishClosing(lingers: lingers) }
    }
    flush(promise: sent)
  }

  private func finishClosing(lingers: Bool) {
    guard let context else { return }
    if lingers || reader.hasDroppedInput, !state.hasInputEnded, !connections.isShuttingDown {
      state.report(.lingering)
      context.close(mode: .output, promise: nil)
      updateTimeouts()
    } else {
      closeNow()
    }
  }

  /// Finishes the requests in progress and closes. Ends an endless stream.
  func shutDown() { perform(state.report(.shutDown)) }

  /// Closes immediately, and drops unsent bytes.
  func closeNow() {
    stopReading()
    context?.close(promise: nil)
  }

  /// Closes the connection with a reset.
  func reset() {
    guard let context else { return }
    flush()
    if let socket = context.channel as? any SocketOptionProvider {
      // The two members of the C struct linger: on, and no time.
      _ = socket.unsafeSetSocketOption(level: .socket, name: .so_linger, value: (CInt(1), CInt(0)))
    }
    state.report(.closing)
    guard connections.security != nil else { return closeNow() }
    stopReading()
    // TLS would send its closing alert first.
    context.triggerUserOutboundEvent(TLSDetector.Abort(), promise: nil)
  }

  /// Releases everything that a closed connection holds; later responses are dropped.
  func detach() {
    guard context != nil else { return }
    context = nil
    stream.task?.cancel()
    (stream.maker, stream.memory) = (nil, ByteBuffer())
    state.report(.closing)
    stream.writable?.fail(ChannelError.alreadyClosed)
    idleTimeouts.end()
    reportDisconnect()
    reportEnd()
    releaseRequests()
    connections.remove(self)
  }

  // MARK: Disconnected clients

  /// Finds out whether a client that sends no more has disconnected, or waits for responses that are being calculated.
  ///
  /// Only a write can tell: the system of a disconnected client answers with a reset, and a waiting client skips an
  /// interim response (RFC 9110, section 15.2). HTTP/1.0 has no interim responses. The connection repeats the check
  /// each second, since a client's system may accept data for a while after the client has gone, as with TLS libraries
  /// that wait for the other side to close.
  func askForClient() {
    guard !endActions.isEmpty, responses.firstForm?.isLegacy == false, let context,
      state.report(.clientMayBeGone) == .ask
    else { return }
    outbound.writeStaticString(Self.interimResponse)
    flush()
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .seconds(1)) {
      connection.value.state.report(.askedLongAgo)
      connection.value.askForClient()
    }
  }

  /// Tells the application that nobody will read the responses that it is calculating.
  func reportEnd() {
    let actions = endActions
    endActions = [:]
    for action in actions.values { action() }
  }

  /// Tells the application that the client of the held requests has disconnected.
  func reportDisconnect() {
    let actions = disconnectActions
    disconnectActions = [:]
    for action in actions.values { action() }
  }
}
