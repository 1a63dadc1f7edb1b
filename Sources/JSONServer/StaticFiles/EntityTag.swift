/// Compares entity tags as `If-None-Match` asks for them.
package enum EntityTag {
  /// Whether a list of tags, or `*`, holds a tag; weak and strong ones alike (RFC 9110, section 8.8.3.2).
  package static func list(_ list: String, matches tag: String) -> Bool {
    let opaque = opaquePart(tag[...])
    return list.split(separator: ",").contains { item in
      let item = item.drop { $0 == " " || $0 == "\t" }
      let end = item.lastIndex { $0 != " " && $0 != "\t" }
      guard let end else { return false }
      return item[...end] == "*" || opaquePart(item[...end]) == opaque
    }
  }

  private static func opaquePart(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}
