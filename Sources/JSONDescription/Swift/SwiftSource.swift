/// Swift source that is being written, line by line.
struct SwiftSource {
  /// The access level of the declarations.
  let access: SwiftAccess
  private(set) var text = ""
  private var level = 0

  init(access: SwiftAccess) { self.access = access }

  /// Adds a line at the current indentation; an empty one has none.
  mutating func line(_ line: String = "") {
    text += (line.isEmpty ? "" : String(repeating: "  ", count: level) + line) + "\n"
  }

  /// Adds what is between a line that opens a brace and the brace that closes it.
  mutating func block(_ opening: String, indented: Bool = true, _ content: (inout SwiftSource) -> Void) {
    line(opening + " {")
    level += indented ? 1 : 0
    content(&self)
    level -= indented ? 1 : 0
    line("}")
  }

  /// Adds a function; its parameters have a line each when they do not fit in one.
  mutating func function(_ opening: String, _ parameters: [String], _ content: (inout SwiftSource) -> Void) {
    let head = "\(opening)(\(parameters.joined(separator: ", ")))"
    guard !fits(head + " {") else { return block(head, content) }
    lines("\(opening)(", parameters)
    block(")", content)
  }

  /// Adds an array literal; its elements have a line each when they do not fit in one.
  mutating func list(_ opening: String, _ elements: [String]) {
    let text = "\(opening)[\(elements.joined(separator: ", "))]"
    guard !fits(text) else { return line(text) }
    lines("\(opening)[", elements, end: ",")
    line("]")
  }

  private mutating func lines(_ opening: String, _ parts: [String], end: String = "") {
    line(opening)
    level += 1
    for (index, part) in parts.enumerated() { line(part + (index < parts.count - 1 ? "," : end)) }
    level -= 1
  }

  private func fits(_ line: String) -> Bool { level * 2 + line.count <= Self.lineLength }

  /// The length of a line that swift-format's own configuration allows.
  private static let lineLength = 100
}

/// Writes names from the data into Swift source in such a way that they can do no harm.
enum SwiftText {
  /// A string literal.
  static func literal(_ string: String) -> String {
    var literal = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case _ where isInvisible(scalar): literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Text for a comment of one line.
  static func inOneLine(_ string: String) -> String {
    var line = String.UnicodeScalarView()
    line.append(contentsOf: string.unicodeScalars.filter { !isInvisible($0) }.prefix(60))
    return String(line)
  }

  /// Whether a character would end a line, or change the direction of what follows it.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    default: false
    }
  }
}

/// The names that generated source cannot use freely.
enum SwiftNames {
  /// The types that generated source itself uses.
  static let topLevel: Set<String> = builtin.union([
    "APIClient", "AnyJSON", "CodingKeys", "NewRecord", "Patch", "PatchValue", "Record", "RecordID",
    "ResourceCollection", "ResourceError", "ResourceObject", "ResourcePage", "ResourceRecord", "ResourceRecords",
    "SignInTokens", "TokenStore",
  ])

  /// The types that a nested type must not hide.
  static let nested: Set<String> = builtin.union([
    "AnyJSON", "CodingKeys", "NewRecord", "Patch", "PatchValue", "RecordID",
  ])

  private static let builtin: Set<String> = [
    "Any", "AnyObject", "Array", "ArraySlice", "AsyncIteratorProtocol", "AsyncSequence", "Bool", "CaseIterable",
    "CharacterSet", "Codable", "CodingKey", "CustomStringConvertible", "Data", "Date", "Decimal", "Decodable",
    "Decoder", "DecodingError", "Double", "Duration", "Encodable", "Encoder", "Error", "Foundation",
    "HTTPURLResponse", "Hashable", "ID", "Identifiable", "Int", "JSONDecoder", "JSONEncoder", "KeyValuePairs",
    "KeyedDecodingContainer", "LocalizedError", "Never", "Optional", "Protocol", "RawRepresentable", "RawValue",
    "Result", "Self", "Sendable", "Set", "String", "Swift", "Task", "Type", "URL", "URLComponents", "URLError",
    "URLRequest", "URLSession", "UTF8", "UUID", "Void",
  ]

  /// The properties that a model's or an enumeration's conformances already have.
  static let properties: Set<String> = [
    "allCases", "encode", "hash", "hashValue", "intValue", "rawValue", "self", "stringValue",
  ]

  /// The names that no resource's property has: those of the client's own properties, and of methods that would be
  /// confused with it.
  static let client: Set<String> = properties.union([
    "baseURL", "decode", "logIn", "logOut", "receive", "register", "send", "session", "store", "tokens", "transmit",
  ])

  /// A property's or case's name as it is declared: a keyword in backticks.
  static func declaration(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  /// The words that Swift's grammar reserves (The Swift Programming Language, Lexical Structure).
  private static let keywords: Set<String> = [
    "Any", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}

/// The type of a generated property.
indirect enum SwiftType: Sendable, Hashable {
  /// A type that is known everywhere.
  case global(String)
  /// A type nested in the structure that has the property.
  case nested(String)
  case array(SwiftType)
  case optional(SwiftType)
  /// The type in a patch for a value that may be null.
  case patch(SwiftType)

  /// A value of any kind.
  static let anyJSON = SwiftType.global("AnyJSON")

  /// The type of the elements or of the value; the type itself when it has neither.
  var innermost: SwiftType {
    switch self {
    case .global, .nested: self
    case .array(let type), .optional(let type), .patch(let type): type.innermost
    }
  }

  /// The type's name.
  ///
  /// - Parameter structure: The structure in which the property's types are nested, when it is named from outside.
  func name(outside structure: String? = nil) -> String {
    switch self {
    case .global(let name): name
    case .nested(let name): structure.map { "\($0).\(name)" } ?? name
    case .array(let element): "[\(element.name(outside: structure))]"
    case .optional(let type): "\(type.name(outside: structure))?"
    case .patch(let type): "PatchValue<\(type.name(outside: structure))>"
    }
  }
}
