import JSONServerValues

/// The type of the values in one place of the data.
struct ValueType: Sendable, Hashable {
  /// The type of a value that is not `null`.
  enum Alternative: Sendable, Hashable {
    case boolean
    /// Numbers that all fit an `Int`.
    case integer
    /// Numbers of which some do not.
    case number
    case string(StringType)
    /// Arrays; their elements are described together.
    case array(ValueType)
    case object(ObjectType)
  }

  /// One alternative for each kind of value seen, in order of appearance; none when there was only `null`, or nothing.
  let alternatives: [Alternative]
  /// Whether some value was `null`.
  let isNullable: Bool
  /// Whether some number has digits that a double would lose and a decimal would keep, such as 9007199254740993.
  let needsDecimal: Bool
  /// The first value that is not an array, object or `null`.
  let example: JSONValue?

  init(
    alternatives: [Alternative], isNullable: Bool = false, needsDecimal: Bool = false, example: JSONValue? = nil
  ) {
    self.alternatives = alternatives
    self.isNullable = isNullable
    self.needsDecimal = needsDecimal
    self.example = example
  }

  private enum Kind: Hashable {
    case boolean, number, string, array, object
  }

  /// The levels that are described; what is nested deeper is an array or an object of anything.
  ///
  /// Nobody reads more, and a description takes a stack of that many frames.
  static let maximumDepth = 32

  /// Infers what some values are.
  ///
  /// - Parameter depth: The number of levels in which the values are nested.
  init(of values: [JSONValue], depth: Int = 0) {
    var kinds: [Kind] = []
    var areIntegers = true
    var needsDecimal = false
    var strings: [String] = []
    var elements: [JSONValue] = []
    var objects: [JSONObject] = []
    for value in values {
      let kind: Kind
      switch value {
      case .null: continue
      case .bool: kind = .boolean
      case .number(let number):
        kind = .number
        areIntegers = areIntegers && number.integerValue != nil
        needsDecimal = needsDecimal || number.needsDecimal
      case .string(let string):
        kind = .string
        strings.append(string)
      case .array(let array):
        kind = .array
        elements += array
      case .object(let object):
        kind = .object
        objects.append(object)
      }
      if !kinds.contains(kind) { kinds.append(kind) }
    }
    let isDeepest = depth >= Self.maximumDepth
    alternatives = kinds.map { kind in
      switch kind {
      case .boolean: .boolean
      case .number: areIntegers ? .integer : .number
      case .string: .string(StringType(of: strings))
      case .array: .array(ValueType(of: isDeepest ? [] : elements, depth: depth + 1))
      case .object: .object(ObjectType(of: isDeepest ? [] : objects, depth: depth + 1))
      }
    }
    isNullable = values.contains(.null)
    self.needsDecimal = needsDecimal
    example = values.first(where: \.isScalar)
  }
}

extension JSONNumber {
  /// The most significant digits that Foundation's `Decimal` holds.
  private static var mostDigits: Int { 38 }

  fileprivate var needsDecimal: Bool {
    // With an exponent it was written by a program that counts in doubles; and 15 digits come back from one as they were.
    guard !text.lowercased().contains("e"), 16...Self.mostDigits ~= text.count(where: \.isNumber) else { return false }
    return JSONNumber(doubleValue) != self
  }
}

extension JSONValue {
  fileprivate var isScalar: Bool {
    switch self {
    case .bool, .number, .string: true
    case .null, .array, .object: false
    }
  }
}

/// The format that the strings in one place have in common.
enum StringType: Sendable, Hashable {
  /// Nothing.
  case plain
  /// All are written in this format.
  case formatted(StringFormat)
  /// A few words that occur again and again, in order of appearance.
  case choice([String])

  private static let mostChoices = 8
  private static let fewestValues = 20
  /// A longer text is prose, however often it occurs.
  private static let longestChoice = 40

  /// Infers what some strings have in common.
  ///
  /// They count as a choice when there are at least 20 of 2 to 8 kinds, all of them short, and none occurs only once.
  init(of strings: [String]) {
    if let format = StringFormat(of: strings) {
      self = .formatted(format)
    } else if let choices = Self.choices(in: strings) {
      self = .choice(choices)
    } else {
      self = .plain
    }
  }

  private static func choices(in strings: [String]) -> [String]? {
    guard strings.count >= fewestValues else { return nil }
    var choices: [String] = []
    var counts: [String: Int] = [:]
    for string in strings {
      if counts[string] == nil { choices.append(string) }
      guard choices.count <= mostChoices, string.utf8.count <= longestChoice else { return nil }
      counts[string, default: 0] += 1
    }
    return choices.count > 1 && counts.values.allSatisfy { $0 > 1 } ? choices : nil
  }
}

/// The members that the objects in one place have.
struct ObjectType: Sendable, Hashable {
  /// The members, in order of their first appearance.
  let members: [MemberType]

  init(members: [MemberType]) {
    self.members = members
  }

  /// Infers the members of some objects; one that an object lacks is not required.
  ///
  /// - Parameter depth: The number of levels in which the members' values are nested.
  init(of objects: [JSONObject], depth: Int = 0) {
    var names: [String] = []
    var values: [String: [JSONValue]] = [:]
    for object in objects {
      for (name, value) in object {
        if values[name] == nil { names.append(name) }
        values[name, default: []].append(value)
      }
    }
    members = names.map { name in
      let values = values[name] ?? []
      return MemberType(
        name: name, type: ValueType(of: values, depth: depth), isRequired: values.count == objects.count)
    }
  }

  /// The member of this name. O(n).
  subscript(name: String) -> MemberType? {
    members.first { $0.name == name }
  }
}

/// A member of the objects in one place.
struct MemberType: Sendable, Hashable {
  let name: String
  let type: ValueType
  /// Whether every object has it, even as `null`.
  let isRequired: Bool
}
