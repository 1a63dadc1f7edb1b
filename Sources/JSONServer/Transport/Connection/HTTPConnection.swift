import NIOCore
import NIOHTTP1

/// One client's connection: reads requests, hands them to the application, and sends the answers in the requests'
/// order.
///
/// What a burst of input brings is answered with one write at its end. At most ``maximumPending`` requests are with
/// the application at a time, and none is handed over while large answers are held; then, and while the client does not
/// take its answers, nothing is read.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  /// What the connection is doing with its answers.
  enum Output {
    /// Sending each as soon as its turn has come.
    case ready
    /// Sending the pieces of one as the task brings them.
    case streaming(Task<Void, Never>)
    /// Nothing ever again, as the application wished.
    case silent
    /// Sending what is written; then it closes.
    case closing
  }

  /// What the application may be asked before it has answered.
  static let maximumPending = 64
  /// Above this, answers go out before the application is asked for more.
  static let maximumUnflushed = 64 * 1024
  /// How long a client that asks for much at once gives way to others: long enough for the loop to look at its sockets,
  /// which it does not while it has work that is due.
  static let respite = TimeAmount.microseconds(100)

  let connections: Connections
  var context: ChannelHandlerContext?
  var output = Output.ready
  var outbound = ByteBuffer()
  var stream = StreamState()
  var idleTimeouts = IdleTimeouts()
  var reader: RequestReader
  var isInputClosed = false

  private var answers = ResponseQueue()
  /// What was read beyond the requests that the application may be asked at a time.
  private var backlog = CircularBuffer<Arrival>()
  private var isInBurst = false
  private var isSending = false
  private var owesContinue = false
  private var isReadUnderWay = false
  private var isGivingWay = false

  private enum Arrival {
    case request(Request, ResponseForm)
    case refusal(HTTPError, ResponseForm)
  }

  init(_ connections: Connections) {
    self.connections = connections
    reader = RequestReader(limits: connections.limits)
  }

  /// Whether nothing was asked that is not answered.
  var isIdle: Bool { answers.isEmpty && backlog.isEmpty }

  /// Whether no request comes after those that are there.
  var isEnding: Bool { isInputClosed || connections.isShuttingDown && !reader.isInRequest }

  /// Whether more input would be used.
  var wantsInput: Bool {
    guard let context else { return false }
    switch output {
    case .closing: return true
    case .ready, .streaming, .silent: return backlog.isEmpty && context.channel.isWritable
    }
  }
}

// MARK: - Input

extension HTTPConnection {
  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connections.insert(self)
  }

  func channelActive(context: ChannelHandlerContext) {
    updatePatience()
    readMore()
  }

  func channelInactive(context: ChannelHandlerContext) {
    detach()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    detach()
  }

  /// Takes the requests whose head is known off the input, which has not gone to the parser yet.
  func takeKnownRequests(from input: inout ByteBuffer) {
    while input.readableBytes > 0, let (request, form) = reader.takeKnownRequest(from: &input) {
      isInBurst = true
      take(.request(request, form))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isInBurst = true
    do throws(HTTPError) {
      switch Self.unwrapInboundIn(data) {
      case .head(let head):
        owesContinue = try reader.begin(head)
      case .body(let bytes):
        owesContinue = false
        idleTimeouts.noteBody(bytes.readableBytes)
        try reader.append(bytes)
      case .end:
        owesContinue = false
        if let (request, form) = reader.end() { take(.request(request, form)) }
      }
    } catch {
      refuse(error)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReadUnderWay = false
    idleTimeouts.noteBurst(broughtParts: isInBurst, isInRequest: reader.isInRequest)
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
    switch output {
    case .ready: sendReady()
    // The client may have said all it wants to, and reads on; if it has gone, the next write fails.
    case .streaming where !stream.isEndless: break
    case .closing where !idleTimeouts.isLingering: break
    case .streaming, .silent, .closing: closeNow()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = HTTPError(parser: error) else { return closeNow() }
    refuse(error)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      stream.resume()
      sendReady()
      readMore()
    }
    updatePatience()
  }

  /// Answers an error after what came before it, and closes then; does nothing when that is under way.
  func refuse(_ error: HTTPError) {
    guard !reader.isStopped else { return reader.drop() }
    owesContinue = false
    reader.stop()
    take(.refusal(error, ResponseForm(isHeadOnly: reader.isHeadOnly, isRefusal: true)))
  }

  /// Lets input come as long as it is of use.
  ///
  /// The channel reads only when asked, so that a client which floods the server waits in its own send buffer.
  func readMore() {
    guard !isReadUnderWay, !isInputClosed, wantsInput, let context else { return }
    isReadUnderWay = true
    context.read()
  }
}

// MARK: - Answers

extension HTTPConnection {
  private func take(_ arrival: Arrival) {
    if backlog.isEmpty, mayAsk {
      handle(arrival)
    } else {
      backlog.append(arrival)
    }
    if !isInBurst { sendReady() }
  }

  /// Whether the application may be asked for another answer.
  private var mayAsk: Bool {
    answers.count < Self.maximumPending && answers.heldBytes + outbound.readableBytes <= Self.maximumUnflushed
  }

  private func handle(_ arrival: Arrival) {
    guard let context else { return }
    switch arrival {
    case .request(let request, let form):
      let number = answers.append(form)
      let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
      connections.application.respond(to: request) { response in
        connection.value.receive(response, for: number)
      }
    case .refusal(let error, let form):
      let number = answers.append(form)
      answers.put(error.response(), at: number)
    }
  }

  private func receive(_ response: Response, for number: Int) {
    guard context != nil else { return }
    answers.put(response, at: number)
    if !isInBurst {
      sendReady()
      readMore()
    }
  }

  /// Sends the answers whose turn has come, and lets the next requests in for them.
  func sendReady() {
    // An application that answers at once calls back from within; the loop below sees its answer.
    guard !isSending else { return }
    isSending = true
    while case .ready = output, let context, context.channel.isWritable {
      if let (form, response) = answers.popReady() {
        send(response, form)
        guard outbound.readableBytes > Self.maximumUnflushed else { continue }
        flush()
        if !isIdle {
          giveWay(context)
          break
        }
      } else if mayAsk, let next = backlog.popFirst() {
        handle(next)
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
    updatePatience()
  }

  /// Goes on with the answers when other connections have had their turn.
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

  /// Gives leave to send the body, once all that came before is answered.
  private func sendContinue() {
    guard owesContinue else { return }
    owesContinue = false
    outbound.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
  }

  /// Forgets what was asked; for a connection that has ended.
  func releaseRequests() {
    answers.removeAll()
    backlog.removeAll()
    outbound = ByteBuffer()
  }
}

extension HTTPConnection {
  /// Makes a connection and what stands before it in its channel: the parser, and what spares it its work.
  static func handlers(_ connections: Connections) -> [any ChannelHandler] {
    let connection = HTTPConnection(connections)
    let parser = ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: parserLimits))
    return [RequestHeadCacheHandler(connection), parser, connection]
  }

  /// The parser's own limits: a stop for what is far above the server's, which tell 414 from 431 and are checked later.
  private static var parserLimits: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 128 * 1024
    limits.maxHeaderListSize = 128 * 1024
    limits.maxHeaderFieldCount = 1024
    return limits
  }
}
