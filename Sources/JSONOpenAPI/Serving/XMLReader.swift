package import JSONServerValues

/// Reads the XML of a body. The attributes and the elements of an element are its members; those with one name are an array.
/// What has neither is a text.
package struct XMLReader {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Returns: The value of the outermost element; `nil` for what is no XML.
  package static func value(of bytes: [UInt8]) -> JSONValue? {
    var reader = XMLReader(bytes)
    guard reader.skipAround(), let element = reader.element(depth: 0), reader.skipAround(),
      reader.position == bytes.count
    else { return nil }
    return element.value
  }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    return position > start
  }

  /// The text before a mark, which is passed; `nil` where the mark is missing.
  private mutating func text(before mark: String) -> String? {
    let start = position
    while position < bytes.count {
      let end = position
      if skip(mark) { return String(decoding: bytes[start..<end], as: UTF8.self) }
      position += 1
    }
    return nil
  }

  /// Passes the declaration, comments and space around the outermost element.
  private mutating func skipAround() -> Bool {
    while true {
      _ = skipSpace()
      if skip("<?") {
        guard text(before: "?>") != nil else { return false }
      } else if skip("<!--") {
        guard text(before: "-->") != nil else { return false }
      } else {
        return true
      }
    }
  }

  private mutating func name() -> String? {
    let start = position
    while position < bytes.count, !" \t\r\n=/><\"'".utf8.contains(bytes[position]) { position += 1 }
    return start < position ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// The members of an element, with their values in order.
  private struct Members {
    private var members: [(name: String, values: [JSONValue])] = []
    private var places: [ByteExactKey: Int] = [:]

    /// Adds a value under a name, without the prefix of a namespace.
    mutating func add(_ name: String, _ value: JSONValue) {
      let name = name.split(separator: ":").last.map(String.init) ?? name
      let place = places[ByteExactKey(name)] ?? members.count
      if place == members.count {
        members.append((name, []))
        places[ByteExactKey(name)] = place
      }
      members[place].values.append(value)
    }

    /// The members as an object; `nil` without any.
    var value: JSONValue? {
      guard !members.isEmpty else { return nil }
      return .object(JSONObject(members.map { ($0.name, $0.values.count > 1 ? .array($0.values) : $0.values[0]) }))
    }
  }

  private mutating func element(depth: Int) -> (name: String, value: JSONValue)? {
    guard depth < 64, skip("<"), let name = name() else { return nil }
    var members = Members()
    while !skip(">") {
      guard skipSpace() || bytes[position...].first == UInt8(ascii: "/") else { return nil }
      if skip("/>") { return (name, members.value ?? "") }
      guard let attribute = self.name() else { continue }
      guard skip("="), let quote = ["\"", "'"].first(where: { skip($0) }), let text = text(before: quote) else {
        return nil
      }
      if !attribute.hasPrefix("xmlns") { members.add(attribute, .string(Self.unescaped(text))) }
    }
    var content = ""
    while let text = text(before: "<") {
      content += Self.unescaped(text)
      if skip("!--") {
        guard self.text(before: "-->") != nil else { return nil }
      } else if skip("![CDATA[") {
        guard let text = self.text(before: "]]>") else { return nil }
        content += text
      } else if skip("/") {
        guard self.name() == name else { return nil }
        _ = skipSpace()
        return skip(">") ? (name, members.value ?? .string(content)) : nil
      } else {
        position -= 1
        guard let child = element(depth: depth + 1) else { return nil }
        members.add(child.name, child.value)
      }
    }
    return nil
  }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    return text.replacing(/&#(x?)([0-9A-Fa-f]+);/) { match in
      UInt32(match.2, radix: match.1.isEmpty ? 10 : 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
    }
    .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
    .replacing("&apos;", with: "'").replacing("&amp;", with: "&")
  }
}
