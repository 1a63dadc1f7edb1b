import JSONServerValues

extension JSONLayout {
  /// The layout of a record and of the white space before it.
  ///
  /// New records get the layout of their neighbors.
  static func inferred(from record: ValueToken, lead: UnsafeBufferPointer<UInt8>) -> JSONLayout? {
    guard var reader = ObjectReader(record), let member = reader.next() else { return nil }
    let (name, value, text) = (member.name.range(in: record), member.value.range(in: record), record.bytes)
    let colon = text[name.upperBound..<value.lowerBound].split(
      separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let afterColon = colon.last.map { String(decoding: $0, as: UTF8.self) } ?? " "
    let opening = String(decoding: text[1..<name.lowerBound], as: UTF8.self)
    let newline = opening.contains("\r\n") ? "\r\n" : "\n"
    if opening.utf8.contains(UInt8(ascii: "\n")) {
      // The brace closes at the indentation of the record's line, also where the record begins after a bracket.
      let closing = Array(text.dropLast().reversed().prefix(while: JSONSyntax.isWhitespace).reversed())
      let margin = closing.withUnsafeBufferPointer { indentation($0.contains(UInt8(ascii: "\n")) ? $0 : lead) }
      let inner = opening.utf8.reversed().prefix { $0 != UInt8(ascii: "\n") }.reversed()
      let innerText = String(decoding: Array(inner), as: UTF8.self)
      let indent = innerText.hasPrefix(margin) ? String(innerText.dropFirst(margin.count)) : "  "
      var layout = JSONLayout(indent: indent, margin: margin, afterColon: afterColon, newline: newline)
      layout.afterElement = afterElement(in: record)
      return layout
    }
    var afterComma = afterColon
    if let second = reader.next() {
      let between = text[value.upperBound..<second.name.offset(in: record)].drop { $0 != UInt8(ascii: ",") }
      afterComma = String(decoding: between.dropFirst(), as: UTF8.self)
    }
    return JSONLayout(
      indent: nil, afterComma: afterComma, afterColon: afterColon, padding: opening, newline: newline)
  }

  /// The white space after a comma of the first list in a record, if the list is on one line.
  private static func afterElement(in record: ValueToken) -> String? {
    guard let members = ObjectReader(record) else { return nil }
    for member in members where member.value.kind == .array {
      guard var elements = ArrayReader(member.value), let first = elements.next() else { continue }
      if member.value.bytes.contains(UInt8(ascii: "\n")) { return nil }
      guard let second = elements.next() else { return " " }
      let between = member.value.bytes[first.range(in: member.value).upperBound..<second.offset(in: member.value)]
      return String(decoding: between.drop { $0 != UInt8(ascii: ",") }.dropFirst(), as: UTF8.self)
    }
    return nil
  }

  /// The white space after the last line break of a lead.
  static func indentation(_ lead: UnsafeBufferPointer<UInt8>) -> String {
    guard let newline = lead.lastIndex(of: UInt8(ascii: "\n")) else { return "" }
    return String(decoding: lead[(newline + 1)...], as: UTF8.self)
  }
}

extension JSONLayout {
  /// The margin of the value around a record.
  var outerMargin: String {
    guard let indent, margin.hasSuffix(indent) else { return "" }
    return String(margin.dropLast(indent.count))
  }
}
