import HTTPTypes

extension Request {
  /// The path of the target, as it was sent.
  var path: String {
    String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }

  /// Whether the target may have a parameter that asks for JSONP.
  ///
  /// Searched byte by byte: what finds one string in another costs more than most requests may.
  var mayAskForScript: Bool {
    target.withBytes { bytes in
      guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return false }
      var rest = bytes[mark...]
      while let start = rest.firstIndex(of: UInt8(ascii: "c")) {
        rest = rest[start...]
        if rest.starts(with: "callback=".utf8) { return true }
        rest.removeFirst()
      }
      return false
    }
  }

  /// The address the client reached the server at, such as `http://localhost:3000`, with the path it is mounted under.
  var base: String {
    "http://" + (headerFields.joined(.host) ?? "localhost") + mountPath
  }
}
