package import OrderedJSON

extension ValueType {
  private enum Kind: Hashable {
    case boolean, number, string, array, object
  }

  /// Infers what some values are. Recurses as deep as the values are nested.
  package init(of values: [JSONValue]) {
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
    alternatives = kinds.map { kind in
      switch kind {
      case .boolean: .boolean
      case .number: areIntegers ? .integer : .number
      case .string: .string(StringType(of: strings))
      case .array: .array(ValueType(of: elements))
      case .object: .object(ObjectType(of: objects))
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
