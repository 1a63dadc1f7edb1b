import HTTPTypes
import NIOHTTP1

extension RequestError {
  /// Says in plain words what the parser could not read; nil for an error that is not the parser's.
  init?(parser error: any Error) {
    guard let error = error as? HTTPParserError else { return nil }
    switch error {
    case .headerOverflow:
      self.init(.headTooLarge, "The request's line and fields are too large.")
    case .invalidVersion:
      self.init(.malformed, "The request line does not end with the HTTP version 1.1 or 1.0.")
    case .invalidContentLength, .unexpectedContentLength:
      self.init(.malformed, "The Content-Length is not one number of bytes, or stands beside Transfer-Encoding.")
    case .invalidChunkSize:
      self.init(.malformed, "The chunked body is not valid.")
    case .invalidHeaderToken:
      self.init(.malformed, "A header field is not valid.")
    case .invalidEOFState, .closedConnection:
      self.init(.malformed, "The request ended before it was complete.")
    // The list of errors is NIO's.
    default:
      self.init(.malformed, "This is not a valid HTTP request.")
    }
  }
}
