import HTTPTypes
import NIOHTTP1

extension HTTPError {
  /// Says in plain words what the parser could not read; nil for an error that is not the parser's.
  init?(parser error: any Error) {
    guard let error = error as? HTTPParserError else { return nil }
    switch error {
    case .headerOverflow:
      self.init(.requestHeaderFieldsTooLarge, "The request's line and fields are too large.")
    case .invalidVersion:
      self.init(.badRequest, "The request line does not end with the HTTP version 1.1 or 1.0.")
    case .invalidContentLength, .unexpectedContentLength:
      self.init(.badRequest, "The Content-Length is not one number of bytes, or stands beside Transfer-Encoding.")
    case .invalidChunkSize:
      self.init(.badRequest, "The chunked body is not valid.")
    case .invalidHeaderToken:
      self.init(.badRequest, "A header field is not valid.")
    case .invalidEOFState, .closedConnection:
      self.init(.badRequest, "The request ended before it was complete.")
    // The list of errors is NIO's.
    default:
      self.init(.badRequest, "This is not a valid HTTP request.")
    }
  }
}
