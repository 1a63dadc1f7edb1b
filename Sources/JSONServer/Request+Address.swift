import HTTPTypes

extension Request {
  /// The path of the target, as it was sent.
  var path: String {
    String(target.prefix { $0 != "?" })
  }

  /// Whether the target may have a parameter that asks for JSONP; searching costs more than most requests may.
  var mayAskForScript: Bool {
    target.utf8.contains(UInt8(ascii: "?")) && target.contains("callback=")
  }

  /// The address the client reached the server at, such as `http://localhost:3000`, with the path it is mounted under.
  var base: String {
    "http://" + (headerFields[.host] ?? "localhost") + mountPath
  }
}
