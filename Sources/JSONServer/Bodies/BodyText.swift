import HTTPTypes

/// Converts the text of a body to UTF-8.
enum BodyText {
  /// Returns a body's text in UTF-8.
  ///
  /// UTF-8 is passed on unchecked; its reader checks it. UTF-16 is converted, with the byte order of its mark,
  /// else big-endian (RFC 2781, section 4.3) unless the charset names it.
  ///
  /// - Throws: 415 for any other charset; 400 for text that is not in the charset it names.
  static func utf8(of body: [UInt8], type: MediaType) throws(RequestError) -> [UInt8] {
    let charset = type.parameters["charset"]?.lowercased()
    switch charset {
    case nil, "utf-8", "utf8", "us-ascii": return body
    case "utf-16", "utf-16be", "utf-16le":
      let isLittleEndian = charset == "utf-16le" || (charset == "utf-16" && body.starts(with: [0xFF, 0xFE]))
      return try converted(body, isLittleEndian: isLittleEndian)
    case .some(let charset):
      throw RequestError(.unsupportedMediaType, "The charset '\(charset)' is not supported; send the body as UTF-8.")
    }
  }

  private static func converted(_ body: [UInt8], isLittleEndian: Bool) throws(RequestError) -> [UInt8] {
    let units = stride(from: 0, to: body.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(body[index]), UInt16(body[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    let text = units.first == 0xFEFF ? units.dropFirst() : units[...]
    guard body.count.isMultiple(of: 2), let string = String(validating: text, as: UTF16.self) else {
      throw RequestError(.malformed, "The body is not valid UTF-16, as its charset says; send it as UTF-8.")
    }
    return Array(string.utf8)
  }
}
