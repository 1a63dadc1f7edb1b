import HTTPTypes

/// The address of another server: `https://api.example.com/v2`.
package struct UpstreamAddress: Sendable {
  /// The address without a slash at its end, which targets follow.
  let text: String
  /// What precedes the path.
  private let origin: Origin
  /// Empty, or with a slash before each segment and none at the end.
  private let path: Substring

  /// - Throws: ``ServerError`` with code `invalidConfiguration` that says what is wrong.
  package init(_ url: String) throws(ServerError) {
    func refusal(_ reason: String) -> ServerError {
      ServerError(.invalidConfiguration, "'\(url)' is no address of a server: \(reason).")
    }
    guard let mark = url.firstRange(of: "://"), ["http", "https"].contains(url[..<mark.lowerBound].lowercased()) else {
      throw refusal("it must begin with http:// or https://, as in https://api.example.com")
    }
    let start = url[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard !url[mark.upperBound..<start].contains("@") else {
      throw refusal("leave out the name and the password; clients send their own Authorization")
    }
    guard let origin = Origin(String(url[..<start])) else {
      throw refusal("a host and perhaps a port must follow ://, as in https://api.example.com:8443")
    }
    guard !url[start...].contains(where: { "?#".contains($0) }) else {
      throw refusal("leave out what follows the path")
    }
    guard url[start...].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"\\<>^`{|}".utf8.contains($0) }) else {
      throw refusal("its path has a character that must be escaped with %")
    }
    self.origin = origin
    var end = url.endIndex
    while end > start, url[url.index(before: end)] == "/" { end = url.index(before: end) }
    text = String(url[..<end])
    path = url[start..<end]
  }

  /// Returns a target as it is below another address, when it leads to this server.
  ///
  /// - Parameters:
  ///   - reference: An address, or a path on this server.
  ///   - base: What precedes targets there.
  /// - Returns: `nil` when it leads elsewhere, or depends on the path that was asked for.
  func moved(_ reference: some StringProtocol, to base: String) -> String? {
    var rest = String(reference)
    if let mark = rest.firstRange(of: "://") {
      let start = rest[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? rest.endIndex
      guard let other = Origin(String(rest[..<start])), origin.matches(other) else { return nil }
      rest = String(rest[start...])
    } else if !rest.hasPrefix("/") || rest.hasPrefix("//") {
      return nil
    }
    guard rest.hasPrefix(path) else { return nil }
    rest.removeFirst(path.count)
    guard let first = rest.first else { return base.isEmpty ? "/" : base }
    guard "/?#".contains(first) else { return nil }
    return first == "/" ? base + rest : "\(base)/\(rest)"
  }

  /// Lets the addresses in a response's fields lead to where the request came from.
  ///
  /// - Parameter base: What precedes targets there: `http://localhost:3000`, or nothing for paths alone.
  func moveAddresses(in fields: inout HTTPFields, to base: String) {
    for index in fields.indices {
      switch fields[index].name {
      case .location, .contentLocation:
        if let moved = moved(fields[index].value, to: base) { fields[index].value = moved }
      case .link: fields[index].value = movedLinks(fields[index].value, to: base)
      default: break
      }
    }
  }

  /// The same of the addresses in angle brackets of a `Link` field (RFC 8288, section 3).
  private func movedLinks(_ value: String, to base: String) -> String {
    var result = ""
    var rest = value[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let reference = rest[open..<close].dropFirst()
      result += rest[...open] + (moved(reference, to: base) ?? String(reference)) + ">"
      rest = rest[close...].dropFirst()
    }
    return result + rest
  }
}
