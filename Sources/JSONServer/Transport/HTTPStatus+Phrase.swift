import HTTPTypes
import NIOHTTP1

extension HTTPResponse.Status {
  /// The status with the usual phrase of its code, when it has none of its own.
  var withPhrase: HTTPResponse.Status {
    guard reasonPhrase.isEmpty else { return self }
    return HTTPResponse.Status(code: code, reasonPhrase: HTTPResponseStatus(statusCode: code).reasonPhrase)
  }
}
