import NIOCore
import NIOHTTP1

extension HTTPConnection {
  /// Makes a connection and what stands before it in its channel: the parser, and what spares it its work.
  static func handlers(_ connections: Connections) -> [any ChannelHandler] {
    let connection = HTTPConnection(connections)
    let parser = ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: parserLimits))
    return [KnownHeadHandler(connection), parser, connection]
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
