import JSONServerValues

/// Reads a YAML 1.2 document with the core schema, or a JSON text, which is YAML, too.
///
/// It reads block and flow collections, all five kinds of scalars, comments, anchors, aliases and `<<`. It refuses, by
/// name and with the place, what documents do not need: keys that are not texts, tags of one's own, a second document,
/// infinity, and a key that is there twice.
struct YAMLReader: Sendable {
  /// The largest number of values after all aliases are replaced: a small text could otherwise fill the memory.
  private static let maximumWeight = 1_000_000
  private static let maximumDepth = 200

  /// The place of a value.
  struct Mark: Sendable {
    /// The name of a member; `nil` for an element of a list.
    let name: String?
    /// The offset of the value: that of its key, when the value begins on a later line.
    var offset = -1
    /// The number of the first mark behind the value's own ones.
    var end = Int.max
  }

  let name: String
  let bytes: [UInt8]
  /// The offset after a byte order mark.
  let start: Int
  private var at: Int
  private var anchors: [String: (value: JSONValue, weight: Int)] = [:]
  private var weight = 0
  private var depth = 0
  /// The offset of the last key.
  private var keyStart = 0
  /// The places of all values, in their order.
  private(set) var marks: [Mark] = []

  init(_ bytes: [UInt8], name: String) {
    (self.bytes, self.name) = (bytes, name)
    start = bytes.withUnsafeBufferPointer(JSONSyntax.endOfByteOrderMark)
    at = start
  }

  /// Reads a text.
  ///
  /// - Throws: The first fault.
  static func value(of bytes: [UInt8], name: String) throws(DocumentFault) -> JSONValue {
    var reader = YAMLReader(bytes, name: name)
    return try reader.document()
  }

  private func fault(_ message: String, at offset: Int? = nil) -> DocumentFault {
    let offset = min(offset ?? at, bytes.count)
    let place = bytes.withUnsafeBufferPointer { TextPosition(offset: offset, in: $0) }
    return DocumentFault(file: name, line: place.line, column: place.column, offset: offset, message: message)
  }

  // MARK: Characters

  /// The byte at a distance from the position; 0 at the end.
  private func byte(_ distance: Int = 0) -> UInt8 { at + distance < bytes.count ? bytes[at + distance] : 0 }
  private func `is`(_ character: Unicode.Scalar, _ distance: Int = 0) -> Bool {
    byte(distance) == UInt8(ascii: character)
  }
  private func isBlank(_ distance: Int = 0) -> Bool { `is`(" ", distance) || `is`("\t", distance) }
  private func isBreak(_ distance: Int = 0) -> Bool { `is`("\n", distance) || `is`("\r", distance) }
  /// Whether a word cannot go on: a blank, a line break or the end.
  private func isSpace(_ distance: Int = 0) -> Bool {
    isBlank(distance) || isBreak(distance) || at + distance >= bytes.count
  }
  private func isFlowMark(_ distance: Int = 0) -> Bool {
    switch byte(distance) {
    case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
    default: false
    }
  }
  private var isAtEnd: Bool { at >= bytes.count }
  private var isDash: Bool { `is`("-") && isSpace(1) }
  private var isComment: Bool { `is`("#") && (at == start || isBlank(-1) || isBreak(-1)) }
  /// Whether a `:` ends a key here.
  private func isColon(inFlow: Bool) -> Bool { `is`(":") && (isSpace(1) || inFlow && isFlowMark(1)) }

  /// Goes to the next byte that may end a text without quotes.
  private mutating func skipText() {
    while !isAtEnd {
      switch bytes[at] {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "#"), UInt8(ascii: ":"), UInt8(ascii: ","),
        UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
        return
      default: at += 1
      }
    }
  }

  private var column: Int {
    var first = at
    while first > start, bytes[first - 1] != UInt8(ascii: "\n") { first -= 1 }
    return at - first
  }

  private var isMarker: Bool {
    guard `is`("-") || `is`("."), byte(1) == byte(), byte(2) == byte() else { return false }
    return isSpace(3) && column == 0
  }

  private mutating func skipBlanks() { while isBlank() { at += 1 } }

  private mutating func skipComment() { if isComment { while !isAtEnd, !isBreak() { at += 1 } } }

  /// Goes to the next line's first word, over empty lines and comments.
  private mutating func skipLines() throws(DocumentFault) {
    while !isAtEnd {
      let first = at
      while `is`(" ") { at += 1 }
      if `is`("\t"), first == start || bytes[first - 1] == UInt8(ascii: "\n") {
        skipBlanks()
        guard isBreak() || isAtEnd || isComment else {
          throw fault("A tab cannot indent a line; write spaces.", at: first)
        }
      }
      skipBlanks()
      skipComment()
      guard isBreak() else { return }
      at += 1
    }
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  // MARK: The document

  mutating func document() throws(DocumentFault) -> JSONValue {
    if let invalid = bytes.firstIndex(of: 0) {
      throw fault("The text contains a NUL character; remove it.", at: invalid)
    }
    if String(validating: bytes, as: UTF8.self) == nil {
      let valid = zip(bytes, String(decoding: bytes, as: UTF8.self).utf8).prefix { $0 == $1 }.count
      throw fault("The text is not UTF-8; convert it.", at: valid)
    }
    try skipLines()
    while `is`("%"), column == 0 {
      while !isAtEnd, !isBreak() { at += 1 }
      try skipLines()
    }
    if isMarker, `is`("-") { at += 3 }
    let value = try node(nil, below: -1)
    try skipLines()
    if isMarker, `is`(".") {
      at += 3
      try skipLines()
    }
    guard isAtEnd else {
      throw fault(isMarker ? "A second document begins here; keep one in a file." : "Nothing may follow the document.")
    }
    return value
  }

  /// Keeps the place of a value, unless the place is known.
  private mutating func note(_ mark: Int, _ offset: Int) {
    if marks[mark].offset < 0 { marks[mark].offset = offset }
  }

  /// What may stand before a value.
  private struct Properties {
    var anchor: String?
    var tag: String?
  }

  /// Reads an anchor or a tag, if one is here.
  private mutating func readProperty(_ properties: inout Properties) throws(DocumentFault) -> Bool {
    guard `is`("&") || `is`("!") else { return false }
    let (start, isAnchor) = (at, `is`("&"))
    while !isSpace(), !isFlowMark() { at += 1 }
    if isAnchor {
      properties.anchor = text((start + 1)..<at)
    } else {
      let tag = text(start..<at)
      guard ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"].contains(tag) else {
        throw fault("The tag '\(tag)' is not read; remove it.", at: start)
      }
      properties.tag = tag
    }
    return true
  }

  /// Reads the name of an alias, and returns its value.
  private mutating func alias() throws(DocumentFault) -> JSONValue {
    let start = at
    while !isSpace(), !isFlowMark() { at += 1 }
    let name = text((start + 1)..<at)
    guard let anchor = anchors[name] else {
      throw fault("The alias '*\(name)' has no anchor before it; write '&\(name)' at the value.", at: start)
    }
    weight += anchor.weight
    guard weight <= Self.maximumWeight else {
      throw fault("The aliases make more than \(Self.maximumWeight) values; write fewer.", at: start)
    }
    return anchor.value
  }

  // MARK: Blocks

  /// Begins a value.
  private mutating func begin(_ name: String?) throws(DocumentFault) -> (mark: Int, weight: Int) {
    guard depth < Self.maximumDepth else { throw fault("The values are nested too deeply.") }
    depth += 1
    weight += 1
    marks.append(Mark(name: name))
    return (marks.count - 1, weight - 1)
  }

  private mutating func end(
    _ value: JSONValue, _ properties: Properties, since begin: (mark: Int, weight: Int)
  ) -> JSONValue {
    depth -= 1
    marks[begin.mark].end = marks.count
    if let anchor = properties.anchor { anchors[anchor] = (value, weight - begin.weight) }
    return value
  }

  /// Reads the value after a key or a dash.
  ///
  /// - Parameters:
  ///   - name: The key, on whose line no block begins, and below which a list need not be indented; `nil` without one.
  ///   - parent: The column of the key or the dash; the value stands right of it.
  private mutating func node(_ name: String?, below parent: Int) throws(DocumentFault) -> JSONValue {
    let (begin, isValue) = (try begin(name), name != nil)
    let key = isValue ? keyStart : at
    var (properties, isInline) = (Properties(), true)
    repeat {
      skipBlanks()
      if isBreak() || isComment || isAtEnd {
        isInline = false
        if isValue { note(begin.mark, key) }
        try skipLines()
        let column = column
        guard !isAtEnd, !isMarker, column > parent || isValue && column == parent && isDash else {
          note(begin.mark, key)
          return end(properties.tag == "!!str" ? "" : .null, properties, since: begin)
        }
      }
    } while try readProperty(&properties)
    note(begin.mark, at)
    let value = try content(below: parent, isInline: isInline, isValue: isValue, properties)
    return end(value, properties, since: begin)
  }

  private mutating func content(
    below parent: Int, isInline: Bool, isValue: Bool, _ properties: Properties
  ) throws(DocumentFault) -> JSONValue {
    let mayBeBlock = !(isInline && isValue)
    if isDash {
      guard mayBeBlock else { throw fault("A list begins on a line of its own.") }
      return try sequence(at: column)
    }
    if `is`("?"), isSpace(1) { throw fault("A key with '?' is not read; write 'name: value'.") }
    if `is`("|") || `is`(">") { return .string(try blockScalar(below: parent)) }
    if isAtKey() {
      guard mayBeBlock else { throw fault("A second ':' stands in this line; put the text into quotes.") }
      return try mapping(at: column)
    }
    guard let value = try marked() else {
      return try resolve(try plain(inFlow: false, below: parent), properties.tag)
    }
    skipBlanks()
    skipComment()
    guard isBreak() || isAtEnd else { throw fault("Nothing may follow the value in this line.") }
    return value
  }

  /// Reads an alias, a flow collection or a quoted text; `nil` where none of them begins.
  private mutating func marked() throws(DocumentFault) -> JSONValue? {
    if `is`("*") { return try alias() }
    if `is`("[") || `is`("{") { return try flow() }
    if `is`("\"") || `is`("'") { return .string(try quoted()) }
    return nil
  }

  /// Whether the rest of the line begins with a key and a colon.
  private mutating func isAtKey() -> Bool {
    let first = at
    defer { at = first }
    if `is`("\"") || `is`("'") {
      guard (try? quoted()) != nil, !bytes[first..<at].contains(UInt8(ascii: "\n")) else { return false }
      skipBlanks()
      return isColon(inFlow: false)
    }
    guard !isFlowMark() else { return false }
    while true {
      skipText()
      guard !isAtEnd, !isBreak(), !isComment else { return false }
      if isColon(inFlow: false) { return true }
      at += 1
    }
  }

  private mutating func sequence(at column: Int) throws(DocumentFault) -> JSONValue {
    var elements: [JSONValue] = []
    while true {
      at += 1
      elements.append(try node(nil, below: column))
      guard try goesOn(at: column), isDash else { return .array(elements) }
    }
  }

  /// Goes to the next line, and returns whether it belongs to the collection at a column.
  private mutating func goesOn(at column: Int) throws(DocumentFault) -> Bool {
    try skipLines()
    guard !isAtEnd, !isMarker else { return false }
    guard self.column <= column else { throw fault("The line is indented too far, or the line before lacks a ':'.") }
    return self.column == column
  }

  private mutating func mapping(at column: Int) throws(DocumentFault) -> JSONValue {
    var members = JSONObject()
    var merged: [JSONObject] = []
    while true {
      let start = at
      guard isAtKey() else { throw fault("Expected 'name: value' here.") }
      let isPlain = !`is`("\"") && !`is`("'")
      let key = isPlain ? try plain(inFlow: false, below: column, isKey: true) : try quoted()
      skipBlanks()
      at += 1
      keyStart = start
      let value = try node(key, below: column)
      try add(value, to: &members, &merged, key, isPlain: isPlain, at: start)
      guard try goesOn(at: column) else { return merge(merged, into: members) }
    }
  }

  private func add(
    _ value: JSONValue, to members: inout JSONObject, _ merged: inout [JSONObject], _ key: String, isPlain: Bool,
    at start: Int
  ) throws(DocumentFault) {
    if isPlain, key == "<<" {
      let sources = value.array ?? [value]
      merged += sources.compactMap(\.object)
      guard sources.allSatisfy({ $0.object != nil }) else { throw fault("'<<' takes an object.", at: start) }
      return
    }
    let count = members.count
    members[key] = value
    guard members.count > count else { throw fault("The key '\(key)' is here twice; remove one.", at: start) }
  }

  private func merge(_ sources: [JSONObject], into members: JSONObject) -> JSONValue {
    var members = members
    for (name, value) in sources.joined() where members[name] == nil { members[name] = value }
    return .object(members)
  }

  /// Reads the text after `|` or `>`.
  private mutating func blockScalar(below parent: Int) throws(DocumentFault) -> String {
    let isFolded = `is`(">")
    var (chomping, indent) = (UInt8(0), Int?.none)
    at += 1
    while !isSpace() {
      switch byte() {
      case UInt8(ascii: "+"), UInt8(ascii: "-"): chomping = byte()
      case UInt8(ascii: "1")...UInt8(ascii: "9"): indent = max(parent, 0) + Int(byte() - UInt8(ascii: "0"))
      default: throw fault("After '|' or '>' only '+', '-' and a digit may stand.")
      }
      at += 1
    }
    skipBlanks()
    skipComment()
    while isBreak() {
      at += 1
      if bytes[at - 1] == UInt8(ascii: "\n") { break }
    }
    var lines: [String] = []
    while !isAtEnd {
      let start = at
      while `is`(" "), indent.map({ at - start < $0 }) ?? true { at += 1 }
      if !isBreak(), !isAtEnd {
        if indent == nil { indent = max(at - start, parent + 1) }
        guard at - start >= indent ?? 0 else {
          at = start
          break
        }
      }
      let first = at
      while !isAtEnd, !`is`("\n") { at += 1 }
      let end = at > first && bytes[at - 1] == UInt8(ascii: "\r") ? at - 1 : at
      lines.append(text(first..<end))
      if !isAtEnd { at += 1 }
    }
    let blanks = lines.reversed().prefix { $0.isEmpty }.count
    let content = lines.dropLast(blanks)
    let ending =
      chomping == UInt8(ascii: "-") || content.isEmpty && chomping == 0
      ? "" : String(repeating: "\n", count: (content.isEmpty ? 0 : 1) + (chomping == 0 ? 0 : blanks))
    return (isFolded ? Self.folded(content) : content.joined(separator: "\n")) + ending
  }

  /// Joins lines by spaces, except those that are indented further.
  private static func folded(_ lines: ArraySlice<String>) -> String {
    var (result, breaks, isAfterIndented, isFirst) = ("", 0, false, true)
    for line in lines {
      if line.isEmpty {
        breaks += 1
        continue
      }
      let isIndented = line.first == " " || line.first == "\t"
      let count = isFirst || !(isIndented || isAfterIndented) ? breaks : breaks + 1
      result += count == 0 && !isFirst ? " " : String(repeating: "\n", count: count)
      result += line
      (breaks, isAfterIndented, isFirst) = (0, isIndented, false)
    }
    return result
  }

  // MARK: Scalars

  /// Reads a text without quotes, on one or more lines.
  private mutating func plain(inFlow: Bool, below parent: Int, isKey: Bool = false) throws(DocumentFault) -> String {
    let isReserved =
      switch byte() {
      case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"): true
      case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"): isSpace(1)
      default: isFlowMark()
      }
    if isReserved {
      throw fault("A text cannot begin with '\(Character(Unicode.Scalar(byte())))'; put it into quotes.")
    }
    var (result, breaks) = ("", 0)
    while true {
      let start = at
      skipText()
      while !isAtEnd, !isBreak(), !isComment, !isColon(inFlow: inFlow), !(inFlow && isFlowMark()) {
        at += 1
        skipText()
      }
      var end = at
      while end > start, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
      if breaks > 0 { result += breaks == 1 ? " " : String(repeating: "\n", count: breaks - 1) }
      result += text(start..<end)
      guard isBreak(), !isKey else { break }
      let stop = at
      breaks = 0
      while isBlank() || isBreak() {
        if `is`("\n") { breaks += 1 }
        at += 1
      }
      guard !isAtEnd, !isComment, inFlow || column > parent && !isMarker, !(inFlow && isFlowMark()) else {
        at = stop
        break
      }
    }
    if !isKey, !inFlow, `is`(":") {
      throw fault(
        "A key and a ':' cannot continue the text before; check the indentation, or put the text into quotes.")
    }
    return result
  }

  private mutating func quoted() throws(DocumentFault) -> String {
    let (start, isSingle) = (at, `is`("'"))
    at += 1
    var result: [UInt8] = []
    while true {
      guard !isAtEnd else { throw fault("The quotes are not closed.", at: start) }
      if isSingle, `is`("'"), `is`("'", 1) {
        result.append(byte())
        at += 2
      } else if `is`(isSingle ? "'" : "\"") {
        at += 1
        return String(decoding: result, as: UTF8.self)
      } else if isBreak() {
        while let last = result.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { result.removeLast() }
        result += foldedBreaks()
      } else if !isSingle, `is`("\\") {
        result += try escape()
      } else {
        let first = at
        repeat { at += 1 } while !isAtEnd && !isBreak() && !`is`("\\") && !`is`(isSingle ? "'" : "\"")
        result += bytes[first..<at]
      }
    }
  }

  /// Skips line breaks and blanks in quotes; returns what they mean.
  private mutating func foldedBreaks() -> [UInt8] {
    var breaks = 0
    while isBlank() || isBreak() {
      if `is`("\n") { breaks += 1 }
      at += 1
    }
    return breaks == 1 ? [UInt8(ascii: " ")] : Array(repeating: UInt8(ascii: "\n"), count: max(breaks - 1, 0))
  }

  private static let escapes: [UInt8: String] = [
    0x30: "\0", 0x61: "\u{7}", 0x62: "\u{8}", 0x74: "\t", 0x09: "\t", 0x6E: "\n", 0x76: "\u{B}", 0x66: "\u{C}",
    0x72: "\r", 0x65: "\u{1B}", 0x20: " ", 0x22: "\"", 0x2F: "/", 0x5C: "\\", 0x4E: "\u{85}", 0x5F: "\u{A0}",
    0x4C: "\u{2028}", 0x50: "\u{2029}",
  ]

  private mutating func escape() throws(DocumentFault) -> [UInt8] {
    let start = at
    at += 2
    let kind = bytes.indices.contains(start + 1) ? bytes[start + 1] : 0
    if let text = Self.escapes[kind] { return Array(text.utf8) }
    if kind == UInt8(ascii: "\n") || kind == UInt8(ascii: "\r") {
      at -= 1
      _ = foldedBreaks()
      return []
    }
    guard let count = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8][kind],
      var code = hexadecimal(count)
    else { throw fault("The escape is not known; write '\\\\' for a backslash.", at: start) }
    // JSON writes characters outside of the first plane as two escapes.
    if 0xD800..<0xDC00 ~= code, `is`("\\"), `is`("u", 1) {
      at += 2
      code = 0x10000 + (code - 0xD800) << 10 + ((hexadecimal(4) ?? 0) &- 0xDC00) & 0x3FF
    }
    return Array(String(Unicode.Scalar(code).map(Character.init) ?? "\u{FFFD}").utf8)
  }

  private mutating func hexadecimal(_ count: Int) -> UInt32? {
    guard at + count <= bytes.count, let code = UInt32(text(at..<(at + count)), radix: 16) else { return nil }
    at += count
    return code
  }

  /// The value of a plain text by the core schema.
  private func resolve(_ text: String, _ tag: String?) throws(DocumentFault) -> JSONValue {
    if tag == "!!str" { return .string(text) }
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: break
    }
    switch text.utf8.first ?? 0 {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"): break
    default: return .string(text)
    }
    if let number = JSONNumber(text: text) { return .number(number) }
    if text.hasPrefix("0x"), let number = Int(text.dropFirst(2), radix: 16) { return .number(JSONNumber(number)) }
    if text.hasPrefix("0o"), let number = Int(text.dropFirst(2), radix: 8) { return .number(JSONNumber(number)) }
    if [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(text.drop { "+-".contains($0) }) {
      throw fault("JSON has no number '\(text)'; put it into quotes.")
    }
    guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let number = Double(text) else { return .string(text) }
    if let number = Int(text) { return .number(JSONNumber(number)) }
    return JSONNumber(number).map(JSONValue.number) ?? .string(text)
  }

  // MARK: Flow

  private mutating func skipFlowSpace() {
    while isBlank() || isBreak() || isComment {
      skipComment()
      if isBlank() || isBreak() { at += 1 }
    }
  }

  private mutating func flow() throws(DocumentFault) -> JSONValue {
    let (start, isObject) = (at, `is`("{"))
    at += 1
    var (elements, members, merged) = ([JSONValue](), JSONObject(), [JSONObject]())
    while true {
      skipFlowSpace()
      guard !isAtEnd else { throw fault("The '\(isObject ? "{" : "[")' is not closed.", at: start) }
      if `is`(isObject ? "}" : "]") {
        at += 1
        return isObject ? merge(merged, into: members) : .array(elements)
      }
      let keyStart = at
      if isObject {
        let isPlain = !`is`("\"") && !`is`("'")
        let key = isPlain ? try plain(inFlow: true, below: -1) : try quoted()
        skipFlowSpace()
        var value = JSONValue.null
        if `is`(":") {
          at += 1
          value = try flowNode(key)
        }
        try add(value, to: &members, &merged, key, isPlain: isPlain, at: keyStart)
      } else {
        elements.append(try flowNode(nil))
      }
      skipFlowSpace()
      if `is`(",") {
        at += 1
      } else if !`is`(isObject ? "}" : "]") {
        let kind = isObject ? "object" : "list"
        if isAtEnd { throw fault("The '\(isObject ? "{" : "[")' is not closed.", at: start) }
        throw fault("Expected ',' or the end of the \(kind) here.")
      }
    }
  }

  private mutating func flowNode(_ name: String?) throws(DocumentFault) -> JSONValue {
    let begin = try begin(name)
    var properties = Properties()
    repeat { skipFlowSpace() } while try readProperty(&properties)
    note(begin.mark, at)
    if let value = try marked() { return end(value, properties, since: begin) }
    let value = isFlowMark() ? .null : try resolve(try plain(inFlow: true, below: -1), properties.tag)
    return end(value, properties, since: begin)
  }
}
