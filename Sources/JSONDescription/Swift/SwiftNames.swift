/// The names that generated source cannot use freely.
enum SwiftNames {
  /// The types that generated source itself uses.
  static let topLevel: Set<String> = builtin.union([
    "APIClient", "AnyJSON", "PatchValue", "ResourceCollection", "ResourceError", "ResourceObject", "ResourcePage",
    "ResourceRecord", "ResourceRecords", "ResourceRequest", "SignInTokens", "TokenStore",
    "Record", "NewRecord", "Patch", "RecordID",
  ])

  /// The types that a nested type must not hide.
  static let nested: Set<String> = builtin.union([
    "AnyJSON", "CodingKeys", "NewRecord", "Patch", "PatchValue", "RecordID",
  ])

  private static let builtin: Set<String> = [
    "Any", "AnyObject", "Array", "AsyncIteratorProtocol", "AsyncSequence", "Bool", "CaseIterable", "CharacterSet",
    "Codable", "CodingKey",
    "CustomStringConvertible",
    "Data", "Date", "Decimal", "Decodable", "Decoder", "DecodingError", "Double", "Duration", "Encodable", "Encoder",
    "Error",
    "Foundation", "HTTPURLResponse", "Hashable", "ID", "Identifiable", "Int", "JSONDecoder", "JSONEncoder",
    "KeyValuePairs", "KeyedDecodingContainer", "LocalizedError", "Never", "Optional", "Protocol", "RawRepresentable",
    "RawValue", "Result", "Self", "Sendable", "Set",
    "String", "Swift", "Task", "Type", "URL", "URLError", "URLRequest", "URLSession", "UUID", "Void",
  ]

  /// The properties that a model's or an enumeration's conformances already have.
  static let properties: Set<String> = [
    "allCases", "encode", "hash", "hashValue", "intValue", "rawValue", "self", "stringValue",
  ]

  /// The properties and methods of a client.
  static let client: Set<String> = properties.union([
    "baseURL", "decode", "logIn", "logOut", "receive", "register", "renewed", "send", "session", "setTokens", "store",
    "tokens", "transmit",
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
  /// What a patch sets in the place of a value that may be null.
  case patch(SwiftType)

  /// A value of any kind.
  static let anyJSON = SwiftType.global("AnyJSON")

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
