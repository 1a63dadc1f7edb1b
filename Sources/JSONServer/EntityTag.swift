import JSONStorage

/// The validator of a body (RFC 9110, section 8.8.3): the same bytes always have the same tag.
struct EntityTag {
  let fieldValue: String

  /// Reads a body. O(size), at several GB/s.
  init(of body: [UInt8]) {
    let hash = body.withUnsafeBytes { ContentHash(of: $0) }
    fieldValue = "W/\"\(String(body.count, radix: 16))-\(String(hash.value, radix: 36))\""
  }

  /// Whether a field value of If-None-Match names a tag, weakly compared (RFC 9110, section 13.1.2).
  static func matches(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { item in
      let item = item.trimmingSpaces
      return item == "*" || opaque(item) == opaque(tag[...])
    }
  }

  private static func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}

extension Substring {
  /// The text without white space on both sides.
  var trimmingSpaces: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
