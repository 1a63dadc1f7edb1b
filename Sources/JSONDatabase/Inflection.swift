/// The singular and the plural of English nouns, as they name resources and foreign keys.
///
/// Of a compound such as `blogPosts`, `order_items` or `Order-Items` only the last word changes; case is kept. The
/// words that json-server's users meet come out as from its `pluralize`, save some that it gets wrong: `databases`,
/// `caches`, `excuses`, `schemas`, `viruses`.
package enum Inflection {
  /// Returns the singular of a name; a singular is its own.
  package static func singular(of name: String) -> String {
    inflect(name, using: singular(ofWord:))
  }

  /// Returns the plural of a name; a plural is its own.
  package static func plural(of name: String) -> String {
    inflect(name, using: plural(ofWord:))
  }

  private static func singular(ofWord word: String) -> String {
    if let singular = InflectionTable.singulars[word] { return singular }
    if InflectionTable.plurals[word] != nil { return word }
    for (singular, plural) in InflectionTable.endings {
      if word.hasSuffix(plural) { return word.dropLast(plural.count) + singular }
      if word.hasSuffix(singular) { return word }
    }
    return replacingEnding(of: word, by: InflectionTable.singularRules)
  }

  private static func plural(ofWord word: String) -> String {
    if let plural = InflectionTable.plurals[word] { return plural }
    if InflectionTable.singulars[word] != nil { return word }
    for (singular, plural) in InflectionTable.endings {
      if word.hasSuffix(plural) { return word }
      if word.hasSuffix(singular) { return word.dropLast(singular.count) + plural }
    }
    guard replacingEnding(of: word, by: InflectionTable.singularRules) == word else { return word }
    return replacingEnding(of: word, by: InflectionTable.pluralRules)
  }

  /// Applies the first rule that fits.
  private static func replacingEnding(of word: String, by rules: [(ending: String, replacement: String)]) -> String {
    guard let rule = rules.first(where: { word.hasSuffix($0.ending) }) else { return word }
    return word.dropLast(rule.ending.count) + rule.replacement
  }

  /// Changes the last word of a name and gives it back its case.
  private static func inflect(_ name: String, using change: (String) -> String) -> String {
    let word = name[startOfLastWord(in: name)...]
    guard !word.isEmpty else { return name }
    let changed = change(word.lowercased())
    let kept = zip(word, changed).prefix { $0.lowercased() == String($1) }.count
    let ending = changed.dropFirst(kept)
    let isUppercase = word.count > 1 && word.allSatisfy(\.isUppercase)
    return name[..<word.startIndex] + word.prefix(kept) + (isUppercase ? ending.uppercased() : String(ending))
  }

  /// A word starts at a capital after something else, and at a letter after something else.
  private static func startOfLastWord(in name: String) -> String.Index {
    var start = name.startIndex
    var previous: Character?
    for index in name.indices {
      let character = name[index]
      if let previous, character.isUppercase && !previous.isUppercase || character.isLetter && !previous.isLetter {
        start = index
      }
      previous = character
    }
    return start
  }
}
