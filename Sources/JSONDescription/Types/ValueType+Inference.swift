package import OrderedJSON

extension ValueType {
  private enum Kind: Hashable {
    case boolean, number, string, array, object
  }

  /// The levels that are described; what is nested deeper is an array or an object of anything.
  ///
  /// Nobody reads more, and a description takes a stack of so many frames.
  static let maximumDepth = 32

  /// Infers what some values are.
  ///
  /// - Parameter depth: The number of levels the values are nested in.
  package init(of values: [JSONValue], depth: Int = 0) {
    var kinds: [Kind] = []
    var areIntegers = true
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
    example = values.first(where: \.isScalar)
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
