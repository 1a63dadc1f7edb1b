/// The parsed name of a filter: the path of a member, and the comparison.
struct FilterName {
  let path: FieldPath
  let comparison: Comparison
  /// Whether the parameter belongs to a list: `id[]`, `id[0]`.
  private(set) var isList = false

  /// Reads a name, in the spellings of either json-server and of `qs`: `views_gte`, `views:gte`, `views[gte]`, `id[]`.
  ///
  /// A member with exactly that name comes before every operator, except those that 0.17 always recognizes. Every
  /// operator except these matches no record without the member, in any spelling.
  ///
  /// - Parameter isKnown: Whether any record has a value at a path.
  /// - Returns: `nil` for a name that is not a filter: in the classic dialect, a name that no record has; in 1.0's, a
  ///   name with an unknown operator.
  init?(_ name: String, _ dialect: Dialect, isKnown: (FieldPath) -> Bool) {
    let whole = FieldPath(name)
    if let (path, comparison, isOriginal) = Self.split(name, dialect) {
      if isOriginal || !isKnown(whole) {
        (self.path, self.comparison) = (FieldPath(path), comparison)
        return
      }
    } else if dialect == .v1, Self.hasUnknownOperator(name) {
      return nil
    }
    comparison = .equal
    if let list = Self.list(name), !isKnown(whole), dialect == .v1 || isKnown(FieldPath(list)) {
      path = FieldPath(list)
      isList = true
    } else if dialect == .v1 || isKnown(whole) {
      path = whole
    } else {
      return nil
    }
  }

  /// Splits a name into a path and an operator.
  private static func split(_ name: String, _ dialect: Dialect) -> (path: String, Comparison, isOriginal: Bool)? {
    let hasMark = name.utf8.contains { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") }
    guard hasMark else { return nil }
    for comparison in Comparison.allCases {
      let isOriginal = dialect == .classic && originalOperators.contains(comparison)
      guard dialect == .classic || comparison != .like else { continue }
      for (opening, closing) in [(":", ""), ("_", ""), ("[", "]")] {
        let suffix = opening + comparison.rawValue + closing
        guard name.hasSuffix(suffix), name.utf8.count > suffix.utf8.count else { continue }
        return (String(name.dropLast(suffix.count)), comparison, isOriginal && opening == "_")
      }
    }
    return nil
  }

  /// The operators of json-server 0.17.
  private static let originalOperators: Set<Comparison> = [.greaterOrEqual, .lessOrEqual, .notEqual, .like]

  private static func hasUnknownOperator(_ name: String) -> Bool {
    guard let colon = name.lastIndex(of: ":") else { return false }
    let suffix = name[name.index(after: colon)...]
    return !suffix.isEmpty && suffix.allSatisfy { $0.isLetter && $0.isASCII }
  }

  /// The name without the brackets of a list, as in `id[]` and `id[0]`.
  private static func list(_ name: String) -> String? {
    guard name.utf8.last == UInt8(ascii: "]"), let opening = name.lastIndex(of: "[") else { return nil }
    let index = name[name.index(after: opening)...].dropLast()
    return opening > name.startIndex && index.allSatisfy { $0.isASCII && $0.isNumber } ? String(name[..<opening]) : nil
  }
}
