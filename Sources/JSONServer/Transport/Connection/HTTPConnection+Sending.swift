import HTTPTypes
import JSONDatabase
import NIOCore

extension HTTPConnection {
  /// Passes what is written to the channel.
  func flush() {
    guard let context, outbound.readableBytes > 0 else { return }
    let bytes = outbound
    outbound = ByteBuffer()
    // Wrapped here: NIO's own wrapping determines the type at run time.
    context.writeAndFlush(NIOAny(bytes), promise: nil)
    connections.buffers.put(bytes)
  }

  /// Writes a response whose turn has come.
  func send(_ response: PreparedResponse, _ form: ResponseForm) {
    var closes = !form.keepsConnection || isIdle && isEnding || response.asksToClose
    let framing = ResponseWriter.framing(of: response, form: form)
    if framing == .untilClose { closes = true }
    var bodyLimit: Int?
    switch response.delivery {
    case .normal: break
    case .hang: return fallSilent()
    case .reset: return reset()
    case .truncated(let limit): bodyLimit = max(0, limit)
    }
    if outbound.capacity == 0 { outbound = connections.buffers.take() }
    connections.writer.writeHead(of: response, framing: framing, form: form, closes: closes, to: &outbound)
    let hasBody = !form.isHeadOnly && framing != .none && response.status != .notModified
    let lingers = form.isRefusal || form.keepsConnection
    switch response.body {
    case .bytes(let bytes) where hasBody && bodyLimit == nil && bytes.count > PreparedResponse.largestWhole:
      return start(SlicedBody(SlicedText([.bytes(bytes)])), isChunked: false, closes: closes, lingers: lingers)
    case .bytes(let bytes) where hasBody:
      outbound.writeBytes(bytes.prefix(bodyLimit ?? bytes.count))
      if bodyLimit != nil { closes = true }
    case .stream(let chunks, let length) where hasBody:
      return start(
        chunks, length: length.map { max($0, 0) }, isChunked: framing == .chunked, limit: bodyLimit, closes: closes)
    case .slices(let body) where hasBody:
      return start(body, isChunked: framing == .chunked, closes: closes, lingers: lingers)
    case .bytes, .stream, .slices: break
    }
    if closes { closeAfterFlush(lingers: lingers) }
  }

  /// Keeps reading only to notice that the client disconnects.
  private func fallSilent() {
    flush()
    output = .silent
    reader.stop()
    releaseRequests()
  }
}

extension PreparedResponse {
  /// Whether the connection serves nothing after this response: what came after it does not begin (RFC 9112, section
  /// 9.6).
  var isLast: Bool { delivery != .normal || asksToClose }

  /// Whether the application wants the connection to end with this response.
  fileprivate var asksToClose: Bool {
    commonFields == nil && headerFields.first(.connection)?.lowercased() == "close"
  }
}
