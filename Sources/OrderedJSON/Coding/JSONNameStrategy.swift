/// How the coding keys of Swift types become the names of JSON members.
///
/// Coding keys are the names of properties, of an enumeration's cases and of their associated values, or what the
/// type's `CodingKeys` declare instead. The keys of dictionaries are data and stay as they are.
public enum JSONNameStrategy: Sendable, Hashable {
  /// The names stay as they are.
  case unchanged
  /// `createdAt` becomes `created_at`, and `imageURL` becomes `image_url`; digits start no word, so that `line2` stays.
  case snakeCase

  /// The member's name for a property's name.
  func memberName(_ propertyName: String) -> String {
    switch self {
    case .unchanged: propertyName
    case .snakeCase: Self.snakeCase(propertyName)
    }
  }

  /// The property's name for a member's name, as nearly as it can be inferred: `image_url` becomes `imageUrl`.
  func propertyName(_ memberName: String) -> String {
    switch self {
    case .unchanged:
      return memberName
    case .snakeCase:
      let words = memberName.split(separator: "_")
      guard let first = words.first else { return memberName }
      return first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
  }

  /// A word starts at a capital after a lowercase letter, and at the last of several capitals before a small letter.
  private static func snakeCase(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (index, character) in characters.enumerated() {
      if index > 0, character.isUppercase, characters[index - 1] != "_" {
        let nextIsSmall = index + 1 < characters.count && characters[index + 1].isLowercase
        if !characters[index - 1].isUppercase || nextIsSmall { result += "_" }
      }
      result += character.lowercased()
    }
    return result
  }
}
