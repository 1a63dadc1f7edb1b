/// A resource with the names of its types and operations.
struct NamedResource {
  let resource: ResourceType
  /// The name of a record's type, such as `Post`.
  let recordName: String
  /// The plural name, such as `Posts`.
  let pluralName: String

  /// The name of the type of a record without an id.
  var newRecordName: String { "New\(recordName)" }
  /// The name of the type of a change.
  var patchName: String { "\(recordName)Patch" }

  /// Names resources so that no two types share a name.
  ///
  /// - Parameters:
  ///   - resources: The resources; earlier ones get the better names.
  ///   - reserved: Names of other types; a record with such a name gets `Record` appended.
  ///   - spelling: Spells a name with valid characters.
  ///   - singular: Inflects `posts` to `post`.
  static func all(
    _ resources: [ResourceType], reserved: Set<String>, spelling: (String) -> String = { $0 },
    singular: (String) -> String
  ) -> [NamedResource] {
    var recordNames = UniqueNames(reserving: reserved)
    var pluralNames = UniqueNames()
    return resources.map { resource in
      let record = spelling(
        Identifier.upperCamelCase(resource.kind == .collection ? singular(resource.name) : resource.name))
      return NamedResource(
        resource: resource,
        recordName: recordNames.take(reserved.contains(record) ? "\(record)Record" : record) { name in
          [name, "New\(name)", "\(name)Patch"]
        },
        pluralName: pluralNames.take(spelling(Identifier.upperCamelCase(resource.name))))
    }
  }
}

/// Makes identifiers from the names that the data uses.
enum Identifier {
  /// A name for a type: `blog-posts` becomes `BlogPosts`.
  static func upperCamelCase(_ name: String) -> String {
    let joined = words(in: name).map(capitalized).joined()
    return joined.isEmpty ? "Value" : startingWithLetter(joined, prefix: "N")
  }

  /// A name for a property: `created_date` becomes `createdDate`, `URLString` `urlString`, `thumbnailUrl` stays.
  static func lowerCamelCase(_ name: String) -> String {
    let words = words(in: name)
    guard let first = words.first else { return "value" }
    return startingWithLetter(uncapitalized(first) + words.dropFirst().map(capitalized).joined(), prefix: "n")
  }

  /// An identifier in ASCII, as OpenAPI requires for a component's name: `日` becomes `U65E5`.
  static func ascii(_ identifier: String) -> String {
    identifier.unicodeScalars.reduce(into: "") { spelled, scalar in
      if scalar.isASCII {
        spelled.unicodeScalars.append(scalar)
      } else {
        spelled += "U" + String(scalar.value, radix: 16, uppercase: true)
      }
    }
  }

  /// Whether a text is spelled as constants are: `draft`, `in_review`, `inReview`, `in-review`, `IN_REVIEW`.
  static func isConstant(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-z][A-Za-z0-9_-]*|[A-Z][A-Z0-9_-]*/) != nil
  }

  /// The runs of letters and digits; all other characters, including underscores, separate them.
  private static func words(in name: String) -> [Substring] {
    name.split { character in
      !character.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isXIDContinue && scalar != "_" && !scalar.properties.isEmojiPresentation
      }
    }
  }

  private static func capitalized(_ word: Substring) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// Lowers the capitals at the start of a word, except the one that starts the next word.
  private static func uncapitalized(_ word: Substring) -> String {
    let capitals = word.prefix(while: \.isUppercase)
    let isAcronym =
      capitals.count > 1 && capitals.count < word.count && word.dropFirst(capitals.count).first?.isLetter == true
    let lowered = isAcronym ? capitals.dropLast() : capitals
    return lowered.lowercased() + word.dropFirst(lowered.count)
  }

  private static func startingWithLetter(_ identifier: String, prefix: String) -> String {
    guard let first = identifier.unicodeScalars.first, first.properties.isXIDStart else { return prefix + identifier }
    return identifier
  }
}

/// Assigns each name only once.
struct UniqueNames {
  private var taken: Set<String>
  /// The last tried number for each taken name.
  private var numbers: [String: Int] = [:]

  init(reserving taken: Set<String> = []) {
    self.taken = taken
  }

  /// Takes a name, or the name with the first number from 2 that makes it new.
  ///
  /// - Parameters:
  ///   - wanted: The preferred name.
  ///   - variants: The derived names, which must also be free.
  mutating func take(_ wanted: String, variants: (String) -> [String] = { [$0] }) -> String {
    var name = wanted
    while !taken.isDisjoint(with: variants(name)) {
      // The numbers before are taken: a thousand resources of one name must not try them all.
      let number = numbers[wanted, default: 1] + 1
      numbers[wanted] = number
      name = "\(wanted)\(number)"
    }
    taken.formUnion(variants(name))
    return name
  }
}
