#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A JSON value as a tree, for code that takes a value apart or builds one.
///
/// Objects keep the order of their members and numbers the text in which they were written. Neither makes a difference
/// to `==`, which says whether two values mean the same: an encoder orders members differently in each run, and writes `1.0` as
/// `1`. Compare ``text(pretty:)`` where order and spelling count.
///
/// A value that code nests deeper than some thousand levels ends the process when Swift frees it, as with any type that
/// holds values of itself. Servers accept 512 levels.
public enum JSONValue: Sendable {
  /// JSON's `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, with the text in which it was written.
  case number(JSONNumber)
  /// A string, without quotes and escapes.
  case string(String)
  /// The elements of an array.
  case array([JSONValue])
  /// The members of an object, in order.
  case object(JSONObject)
}

extension JSONValue: Hashable {
  /// Whether two values mean the same.
  public static func == (left: JSONValue, right: JSONValue) -> Bool { left.holds(right, allowing: nil) }

  /// Whether the value is another, but for further members of objects.
  ///
  /// Values are compared with a stack of its own instead of recursion.
  ///
  /// - Parameter isAllowed: Whether an object may have a member of a name besides; `nil` allows none.
  package func holds(_ part: JSONValue, allowing isAllowed: ((String, JSONObject) -> Bool)?) -> Bool {
    var pairs = [(self, part)]
    while let pair = pairs.popLast() {
      switch pair {
      case (.null, .null): break
      case (.bool(let own), .bool(let other)): guard own == other else { return false }
      case (.number(let own), .number(let other)): guard own == other else { return false }
      case (.string(let own), .string(let other)): guard own == other else { return false }
      case (.array(let own), .array(let other)):
        guard own.count == other.count else { return false }
        pairs += zip(own, other)
      case (.object(let own), .object(let other)):
        for (name, value) in other {
          guard let counterpart = own[name] else { return false }
          pairs.append((counterpart, value))
        }
        let isWhole = own.count == other.count
        guard isWhole || own.names.allSatisfy({ other[$0] != nil || isAllowed?($0, own) == true }) else { return false }
      case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): return false
      }
    }
    return true
  }

  public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: 8) }

  /// - Parameter levels: How many levels are looked at: values that differ only below have one hash.
  private func hash(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let number): hasher.combine(number)
    case .string(let string): hasher.combine(string)
    case .array(let elements):
      hasher.combine(elements.count)
      guard levels > 0 else { return }
      for element in elements { element.hash(into: &hasher, levels: levels - 1) }
    case .object(let object):
      hasher.combine(object.count)
      guard levels > 0 else { return }
      // The same in any order.
      let combined = object.reduce(0) { result, member in
        var hasher = Hasher()
        hasher.combine(ByteExactKey(member.name))
        member.value.hash(into: &hasher, levels: levels - 1)
        return result ^ hasher.finalize()
      }
      hasher.combine(combined)
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
  public init(floatLiteral value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONObject(members)) }
}

extension JSONValue {
  /// Creates a string.
  public init(_ value: String) { self = .string(value) }
  /// Creates a boolean.
  public init(_ value: Bool) { self = .bool(value) }
  /// Creates a number.
  public init(_ value: some BinaryInteger) { self = .number(JSONNumber(value)) }
  /// Creates a number; `null` for infinities and NaN, which JSON lacks.
  public init(_ value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }
  /// Creates an array.
  public init(_ elements: [JSONValue]) { self = .array(elements) }
  /// Creates an object.
  public init(_ members: JSONObject) { self = .object(members) }

  /// Returns the JSON of a Swift value, with the members of objects in the order of their names.
  ///
  /// ```swift
  /// await server.stub(.get("/me"), with: .encoding(User(id: 1, name: "Ada")))
  /// ```
  ///
  /// - Throws: What the encoder throws.
  public static func encoding(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> JSONValue {
    try JSONValue(parsing: encoder.encode(value)).changingObjects { object in
      // An encoder orders members differently in each run.
      JSONObject(object.map { ($0.name, $0.value) }.sorted { $0.0 < $1.0 })
    }
  }

  /// Returns the Swift value that the JSON stands for.
  ///
  /// - Throws: `DecodingError` with the coding path of what is missing or of another kind.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value { try decoder.decode(type, from: Data(utf8Text(.compact))) }
}

extension JSONValue: Decodable {
  /// Reads any value, with the members of objects in the order of their names.
  ///
  /// A decoder gives neither the order of members nor the spelling of numbers: ``init(parsing:maximumDepth:)-(String,_)``
  /// keeps both.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int.self) {
      self = JSONValue(integer)
    } else if let double = try? value.decode(Double.self) {
      self = JSONValue(double)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let elements = try? value.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(JSONObject(try value.decode([String: JSONValue].self).sorted { $0.key < $1.key }.map { ($0, $1) }))
    }
  }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value as JSON text without white space.
  public var description: String { text(pretty: false) }
  public var debugDescription: String { description }
}

extension JSONValue {
  /// The member of an object with this name; `nil` for a missing member and for a value that is not an object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let object) = self else { return nil }
    return object[name]
  }

  /// The element of an array at this position; `nil` beyond its ends and for a value that is not an array.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The string, when the value is a string.
  public var string: String? {
    guard case .string(let string) = self else { return nil }
    return string
  }

  /// The number as an integer, when the value is an integer that fits.
  public var int: Int? {
    guard case .number(let number) = self else { return nil }
    return number.integerValue
  }

  /// The double nearest to the number, when the value is a number.
  public var double: Double? {
    guard case .number(let number) = self else { return nil }
    return number.doubleValue
  }

  /// The boolean, when the value is one.
  public var bool: Bool? {
    guard case .bool(let bool) = self else { return nil }
    return bool
  }

  /// The object, when the value is an object.
  public var object: JSONObject? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  /// The elements, when the value is an array.
  public var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// Reads a JSON text (RFC 8259).
  ///
  /// - Parameters:
  ///   - text: The text; white space and a byte order mark around the value are skipped.
  ///   - maximumDepth: The deepest nesting that is accepted.
  /// - Throws: ``JSONError`` with the line and column of the first fault.
  public init(parsing text: String, maximumDepth: Int = 512) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
  }

  /// Reads a JSON text from UTF-8 bytes; see ``init(parsing:maximumDepth:)-(String,_)``.
  public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 512) throws(JSONError) {
    self.init(try ValidJSON(parsing: Array(bytes), maximumDepth: maximumDepth))
  }

  /// Builds the tree of a value.
  package init(_ value: ValidJSON) {
    self = value.withToken { JSONValue($0) }
  }

  /// Builds the tree of a value, with a stack of its own instead of recursion.
  package init(_ value: ValueToken) {
    self = .null
    // The elements of each container that is not closed yet, and the names of an object's.
    var open: [(elements: [JSONValue], names: [String]?)] = []
    var reader = TokenReader(value)
    while let token = reader.next() {
      switch token {
      case .open(let kind):
        open.append(([], kind == .object ? [] : nil))
        continue
      case .name(let name):
        open[open.count - 1].names?.append(JSONText.unescape(name.bytes))
        continue
      case .scalar(let scalar): self = JSONValue(scalar: scalar)
      case .close:
        let (elements, names) = open.removeLast()
        self = names.map { .object(JSONObject(zip($0, elements))) } ?? .array(elements)
      }
      if !open.isEmpty { open[open.count - 1].elements.append(self) }
    }
  }

  private init(scalar: ValueToken) {
    switch scalar.bytes[0] {
    case UInt8(ascii: "\""): self = .string(JSONText.unescape(scalar.bytes))
    case UInt8(ascii: "t"): self = .bool(true)
    case UInt8(ascii: "f"): self = .bool(false)
    case UInt8(ascii: "n"): self = .null
    default: self = .number(JSONNumber(validated: String(decoding: scalar.bytes, as: UTF8.self)))
    }
  }

  /// The value as JSON text.
  ///
  /// - Parameter pretty: Whether to lay it out as `JSON.stringify(value, null, 2)` does; otherwise without white space.
  public func text(pretty: Bool = true) -> String {
    String(decoding: utf8Text(pretty ? .pretty : .compact), as: UTF8.self)
  }

  /// The value as a part of a text, such as a path: a string without quotes, another value as compact JSON.
  package var plainText: String { string ?? text(pretty: false) }

  /// The value as JSON text in a layout, in UTF-8.
  package func utf8Text(_ layout: JSONLayout = .pretty) -> [UInt8] {
    var compact: [UInt8] = []
    appendCompact(to: &compact)
    guard layout != .compact else { return compact }
    var output: [UInt8] = []
    // The writer of trees writes valid text.
    compact.withUnsafeBufferPointer { JSONFormatter(layout).append(ValueToken(unchecked: $0), to: &output) }
    return output
  }

  /// The value with each object in it changed, from the outermost to the innermost.
  package func changingObjects(_ change: (JSONObject) -> JSONObject) -> JSONValue {
    var text: [UInt8] = []
    append(to: &text, changing: change)
    return JSONValue(ValidJSON(written: text))
  }

  /// Appends the value without white space.
  package func appendCompact(to output: inout [UInt8]) { append(to: &output) { $0 } }

  /// Appends the value without white space, with a stack of its own instead of recursion.
  ///
  /// - Parameter change: Changes each object before its members are written.
  private func append(to output: inout [UInt8], changing change: (JSONObject) -> JSONObject) {
    // What remains to be written of each container that is not closed yet, and how it closes.
    var open: [(rest: AnyIterator<(name: String?, value: JSONValue)>, closing: UInt8)] = []
    var next: (name: String?, value: JSONValue)? = (nil, self)
    while let (name, value) = next {
      if !open.isEmpty, !"[{".utf8.contains(output[output.count - 1]) { output.append(UInt8(ascii: ",")) }
      if let name {
        JSONText.appendEscaped(name, to: &output)
        output.append(UInt8(ascii: ":"))
      }
      switch value {
      case .null: output += "null".utf8
      case .bool(let value): output += (value ? "true" : "false").utf8
      case .number(let number): output += number.text.utf8
      case .string(let string): JSONText.appendEscaped(string, to: &output)
      case .array(let elements):
        output.append(UInt8(ascii: "["))
        var rest = elements.makeIterator()
        open.append((AnyIterator { rest.next().map { (nil, $0) } }, UInt8(ascii: "]")))
      case .object(let object):
        output.append(UInt8(ascii: "{"))
        let rest = change(object).makeIterator()
        open.append((AnyIterator { rest.next().map { ($0.name, $0.value) } }, UInt8(ascii: "}")))
      }
      next = nil
      while next == nil, let container = open.last {
        next = container.rest.next()
        if next == nil { output.append(open.removeLast().closing) }
      }
    }
  }
}

extension JSONValue {
  package var kind: ValueToken.Kind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Creates a number with at most three digits after the point.
  package init(rounding number: Double) {
    self = JSONNumber((number * 1000).rounded() / 1000).map(JSONValue.number) ?? .null
  }
}
