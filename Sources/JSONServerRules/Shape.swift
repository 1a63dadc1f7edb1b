import HTTPTypes
package import JSONServerHTTP
package import JSONServerValues

/// JSON that is filled for each request: `{"id": "$path.id", "user": "$record"}`.
///
/// A word is a `$` and a name, with the names of members or the positions of elements after dots. A text that is one word
/// becomes the word's value, of any type; in a longer text, the value is a part of the text. Braces end a word before a dot:
/// `${path.id}.png`. `$$` is a `$`. A member whose value is missing is left out, an element is null.
package struct Shape: Sendable, Hashable {
  /// The names that a stub may use.
  package static let wordsOfStubs = ["body", "headers", "path", "query", "record"]

  /// The JSON as given.
  package let value: JSONValue

  /// - Parameter words: The names that may follow a `$`.
  /// - Throws: 400 that names another one.
  package init(_ value: JSONValue, words: [String] = wordsOfStubs) throws(RequestError) {
    self.value = value
    try Self.check(value, words)
  }

  /// The JSON with the words' values; `nil` when it is one word without a value.
  ///
  /// - Parameter values: Returns the value of a name.
  package func filled(from values: (String) -> JSONValue?) -> JSONValue? { Self.filled(value, values) }

  /// A text with the words' values.
  package static func text(_ text: String, filledFrom values: (String) -> JSONValue?) -> String {
    pieces(of: text).map { piece in
      switch piece {
      case .literal(let text): text
      case .word(let names): value(of: names, values).map(\.plainText) ?? ""
      }
    }.joined()
  }

  /// Whether a word with this name occurs.
  package func uses(_ name: String) -> Bool { Self.uses(name, in: value) }

  static func uses(_ name: String, in value: JSONValue) -> Bool { words(in: value).contains { $0 == name } }

  private static func filled(_ value: JSONValue, _ values: (String) -> JSONValue?) -> JSONValue? {
    switch value {
    case .null, .bool, .number: return value
    case .string(let text):
      let pieces = pieces(of: text)
      if pieces.count == 1, case .word(let names) = pieces[0] { return self.value(of: names, values) }
      return .string(self.text(text, filledFrom: values))
    case .array(let elements): return .array(elements.map { filled($0, values) ?? .null })
    case .object(let members):
      return .object(JSONObject(members.compactMap { name, value in filled(value, values).map { (name, $0) } }))
    }
  }

  /// The value of a word.
  private static func value(of names: [String], _ values: (String) -> JSONValue?) -> JSONValue? {
    var value = values(names[0])
    for name in names.dropFirst() {
      // The names of header fields have no letter case.
      value = value?[names[0] == "headers" ? name.lowercased() : name] ?? Int(name).flatMap { value?[$0] }
    }
    return value
  }

  // MARK: Words

  private enum Piece {
    case literal(String)
    /// The name after the `$`, and those after dots.
    case word([String])
  }

  private static func pieces(of text: String) -> [Piece] {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return [.literal(text)] }
    var (pieces, literal, rest): ([Piece], String, Substring) = ([], "", text[...])
    while let character = rest.popFirst() {
      let next = rest.first
      guard character == "$", let names = takeWord(&rest) else {
        literal.append(character)
        // `$$` is a `$`.
        if character == "$", next == "$" { rest.removeFirst() }
        continue
      }
      if !literal.isEmpty { pieces.append(.literal(literal)) }
      literal = ""
      pieces.append(.word(names))
    }
    return literal.isEmpty ? pieces : pieces + [.literal(literal)]
  }

  /// Takes the names of a word after its `$`, perhaps in braces; `nil` for what is no word.
  private static func takeWord(_ rest: inout Substring) -> [String]? {
    if rest.first?.isLetter == true { return takeNames(&rest) }
    var inner = rest.dropFirst()
    guard rest.first == "{", inner.first?.isLetter == true else { return nil }
    let names = takeNames(&inner)
    guard inner.first == "}" else { return nil }
    rest = inner.dropFirst()
    return names
  }

  private static func takeNames(_ rest: inout Substring) -> [String] {
    var names: [String] = []
    repeat {
      if rest.first == "." { rest.removeFirst() }
      let name = rest.prefix(while: isInName)
      rest = rest[name.endIndex...]
      names.append(String(name))
      // A dot that no name follows ends a sentence.
    } while rest.first == "." && rest.dropFirst().first.map(isInName) == true
    return names
  }

  private static func isInName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "-"
  }

  /// - Throws: 400 that names a word that is not among those that are known.
  static func check(_ value: JSONValue, _ known: [String] = wordsOfStubs) throws(RequestError) {
    guard let stranger = words(in: value).first(where: { !known.contains($0) }) else { return }
    let list = known.map { "$" + $0 }.joined(separator: ", ")
    throw RequestError(
      .malformed, "'$\(stranger)' is not known here; there are \(list). For the text itself write '$$\(stranger)'.")
  }

  private static func words(in value: JSONValue) -> [String] {
    switch value {
    case .null, .bool, .number: []
    case .string(let text): pieces(of: text).compactMap { if case .word(let names) = $0 { names[0] } else { nil } }
    case .array(let elements): elements.flatMap(words)
    case .object(let members): members.flatMap { words(in: $0.value) }
    }
  }
}

extension JSONValue {
  /// A text that a client has sent in a path or a query; a whole number, as ids and pages are, becomes a number.
  fileprivate init(sent text: String) {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let isWhole = digits.utf8.allSatisfy(ByteSet.digits.contains) && (digits == "0" || digits.first != "0")
    self = (isWhole ? JSONNumber(text: text) : nil).map(JSONValue.number) ?? .string(text)
  }
}

extension MatchableRequest {
  /// The part of the request that a word of a ``Shape`` names.
  ///
  /// - Parameter matcher: The matcher that the request has met.
  package func part(_ name: String, metBy matcher: RequestMatcher) -> JSONValue? {
    switch name {
    case "body": return body
    case "headers": return Self.object(headerFields.map { ($0.name.canonicalName, .string($0.value)) })
    case "path": return Self.object(matcher.pathParts(of: self).map { ($0.name, JSONValue(sent: $0.text)) })
    case "query":
      return Self.object((targets.first?.parameters ?? []).map { ($0.name, JSONValue(sent: $0.value)) })
    default: return nil
    }
  }

  /// The members; of a repeated name the first one.
  private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    var object = JSONObject()
    for (name, value) in members where object[name] == nil { object[name] = value }
    return .object(object)
  }
}

/// The record that a stub needs: the first one of a collection whose members have these values.
package struct RecordSearch: Sendable, Hashable {
  package let collection: String
  /// The members and their values.
  package let members: Shape

  /// Reads `{"users": {"email": "$body.email"}}`.
  ///
  /// - Throws: 400 that says what is wrong.
  init?(_ body: StrictObject) throws(RequestError) {
    guard let value = body.value("find") else { return nil }
    guard let found = value.object, found.count == 1, let collection = found.names.first,
      let members = found[collection]?.object, !members.isEmpty
    else { throw body.wrong("find", "a collection and members, as in {\"users\": {\"email\": \"$body.email\"}}") }
    self.collection = collection
    self.members = try RequestError.reading(
      body.place + ["find"], Shape(.object(members), words: Shape.wordsOfStubs.filter { $0 != "record" }))
  }

  /// The search as JSON, in the form in which it is read.
  var value: JSONValue { .object(JSONObject([(collection, members.value)])) }

  /// The members that the record must have; `nil` when the request lacks one.
  package func wanted(from values: (String) -> JSONValue?) -> JSONObject? {
    guard let wanted = members.filled(from: values)?.object, wanted.count == members.value.object?.count,
      wanted.allSatisfy({ $0.value != .null })
    else { return nil }
    return wanted
  }
}
