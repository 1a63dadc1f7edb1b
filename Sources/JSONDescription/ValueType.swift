package import JSONServerValues

/// The type of the values at one place of the data.
package struct ValueType: Sendable, Hashable {
  /// The type of a value that is not `null`.
  package enum Alternative: Sendable, Hashable {
    case boolean
    /// Numbers that all fit an `Int`.
    case integer
    /// Numbers that do not all fit an `Int`.
    case number
    case string(StringType)
    /// Arrays, with the common type of their elements.
    case array(ValueType)
    case object(ObjectType)
  }

  /// One alternative for each kind of value, in order of appearance; none when all values are `null`, or there are
  /// none.
  package let alternatives: [Alternative]
  /// Whether a value is `null`.
  let isNullable: Bool
  /// Whether a number has digits that a double would lose and a decimal would keep, such as 9007199254740993.
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

  /// The deepest level that is described; deeper values are arrays or objects of anything.
  ///
  /// Nobody reads more, and a description needs a stack of that many frames.
  static let maximumDepth = 32

  /// Infers the type of some values.
  ///
  /// - Parameter depth: The number of levels around the values.
  package init(of values: [JSONValue], depth: Int = 0) {
    var kinds: [ValueToken.Kind] = []
    for value in values where value.kind != .null && !kinds.contains(value.kind) { kinds.append(value.kind) }
    let numbers = values.compactMap { value -> JSONNumber? in
      if case .number(let number) = value { number } else { nil }
    }
    let isDeepest = depth >= Self.maximumDepth
    alternatives = kinds.map { kind in
      switch kind {
      case .null, .bool: .boolean
      case .number: numbers.allSatisfy { $0.integerValue != nil } ? .integer : .number
      case .string: .string(StringType(of: values.compactMap(\.string)))
      case .array: .array(ValueType(of: isDeepest ? [] : values.flatMap { $0.array ?? [] }, depth: depth + 1))
      case .object: .object(ObjectType(of: isDeepest ? [] : values.compactMap(\.object), depth: depth + 1))
      }
    }
    isNullable = values.contains { $0.kind == .null }
    needsDecimal = numbers.contains(where: \.needsDecimal)
    example = values.first { ![.null, .array, .object].contains($0.kind) }
  }
}

extension ValueType {
  /// The type of values of some kinds, and of nothing else about them.
  init(_ kinds: [ValueToken.Kind], example: JSONValue?) {
    let alternatives = kinds.compactMap { kind -> Alternative? in
      switch kind {
      case .null: nil
      case .bool: .boolean
      case .number: .number
      case .string: .string(.plain)
      case .array: .array(ValueType(alternatives: []))
      case .object: .object(ObjectType(members: []))
      }
    }
    self.init(alternatives: alternatives, isNullable: kinds.contains(.null), example: example)
  }
}

extension JSONNumber {
  /// The largest number of significant digits in Foundation's `Decimal`.
  private static var mostDigits: Int { 38 }

  fileprivate var needsDecimal: Bool {
    // A number with an exponent was written by a program that uses doubles; and a double keeps 15 digits.
    guard !text.lowercased().contains("e"), 16...Self.mostDigits ~= text.count(where: \.isNumber) else { return false }
    return JSONNumber(doubleValue) != self
  }
}

/// The common format of the strings at one place.
package enum StringType: Sendable, Hashable {
  /// None.
  case plain
  /// A format of JSON Schema.
  case formatted(StringFormat)
  /// A few repeated words, in order of appearance.
  case choice([String])

  private static let mostChoices = 8
  private static let fewestValues = 20
  /// The longest text of a choice; a longer text is prose, however often it occurs.
  private static let longestChoice = 40

  /// Infers the common format of some strings.
  ///
  /// They are a choice when there are at least 20, with 2 to 8 different values, all of them short, and each at least
  /// twice.
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

/// The members of the objects at one place.
package struct ObjectType: Sendable, Hashable {
  /// The members, in order of their first appearance.
  let members: [MemberType]

  init(members: [MemberType]) {
    self.members = members
  }

  /// Infers the members of some objects; a member that an object lacks is not required.
  ///
  /// - Parameter depth: The number of levels around the members' values.
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

  /// The same objects without any required member.
  var optional: ObjectType {
    ObjectType(members: members.map { MemberType(name: $0.name, type: $0.type, isRequired: false) })
  }

  /// The same objects with one more member.
  func adding(_ member: MemberType?) -> ObjectType { ObjectType(members: members + [member].compactMap(\.self)) }

  /// The same objects without a member.
  func without(_ name: String) -> ObjectType { ObjectType(members: members.filter { $0.name != name }) }

  /// The member of this name. O(n).
  subscript(name: String) -> MemberType? {
    members.first { $0.name == name }
  }
}

/// A member of the objects at one place.
struct MemberType: Sendable, Hashable {
  let name: String
  let type: ValueType
  /// Whether every object has the member, even as `null`.
  let isRequired: Bool
}
