import HTTPTypes
import NIOHTTP1

/// A request's target that is not in origin form (RFC 9112, section 3.2), converted to it.
struct RequestTarget {
  /// The target in origin form, or `*`.
  let target: String
  /// The authority of an absolute target, which takes the place of the Host field.
  let authority: String?

  /// Reads `http://host/path`, and `*` of OPTIONS.
  init(notInOriginForm text: String, method: HTTPMethod) throws(RequestError) {
    if text == "*", method == .OPTIONS {
      (target, authority) = (text, nil)
      return
    }
    guard let authorityStart = Self.endOfScheme(text) else {
      throw RequestError(.malformed, "The request's target is neither a path nor a URL with http.")
    }
    let rest = text[authorityStart...]
    let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let authority = String(rest[..<authorityEnd])
    guard !authority.isEmpty, Self.isAuthority(authority) else {
      throw RequestError(.malformed, "The URL of the request does not name a host and a port.")
    }
    self.authority = authority
    let path = rest[authorityEnd...]
    target = path.first == "/" ? String(path) : "/" + path
  }

  private static func endOfScheme(_ text: String) -> String.Index? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https", text[colon...].hasPrefix("://") else { return nil }
    return text.index(colon, offsetBy: 3)
  }

  /// Whether a text can be a host and a port; the empty text is one, too (RFC 9110, section 7.2).
  ///
  /// What separates the parts of URLs, lists and credentials is refused, since two readers could see two hosts in it.
  static func isAuthority(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"), UInt8(ascii: "~"),
        UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
        UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
        true
      default:
        false
      }
    }
  }
}
