/// The tags in an `If-None-Match` or `If-Match` field.
///
/// All tags of the server are weak, since a body may be sent compressed; so `If-Match` compares them as weak ones too.
struct EntityTagList {
  private let items: [Substring]

  init(_ field: String) {
    items = field.split(separator: ",").map { item in
      let item = item.drop { $0 == " " || $0 == "\t" }
      let end = item.lastIndex { $0 != " " && $0 != "\t" }
      return end.map { item[...$0] } ?? ""
    }
  }

  /// Whether the field names a tag, or is `*`; weak and strong tags are alike (RFC 9110, section 8.8.3.2).
  func names(_ tag: String) -> Bool {
    items.contains { $0 == "*" || Self.opaque($0) == Self.opaque(tag[...]) }
  }

  private static func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}
