import HTTPTypes

/// The head of a response as curl writes it: up to an empty line, after which trailers may follow.
struct ResponseHead {
  let status: HTTPResponse.Status
  let fields: HTTPFields

  /// Reads a head; heads of status 100 to 199 before it are skipped.
  ///
  /// - Returns: `nil` for what is no response.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while true {
      guard let lines = Self.takeHead(of: &rest), let status = Self.status(lines.first ?? "") else { return nil }
      guard status.code >= 200 else { continue }
      self.status = status
      fields = HTTPFields(lines.dropFirst().compactMap(Self.field))
      return
    }
  }

  /// Takes the lines of a head up to the empty one.
  private static func takeHead(of rest: inout ArraySlice<UInt8>) -> [String]? {
    var lines: [String] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      var line = rest[..<end]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      rest = rest[(end + 1)...]
      if line.isEmpty { return lines }
      lines.append(String(decoding: line, as: UTF8.self))
    }
    return nil
  }

  /// `HTTP/1.1 404 Not Found`; HTTP/2 has no phrase.
  private static func status(_ line: String) -> HTTPResponse.Status? {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/"), let code = Int(parts[1]), 100...999 ~= code else { return nil }
    return HTTPResponse.Status(code: code, reasonPhrase: parts.count > 2 ? String(parts[2]) : "")
  }

  private static func field(_ line: String) -> HTTPField? {
    // By bytes: a combining character after a colon or a space is one with it.
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), let name = HTTPField.Name(String(line[..<colon]))
    else { return nil }
    let value = line.utf8[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return HTTPField(name: name, value: String(Substring(value)))
  }
}
