/// Hands out names, each only once.
struct UniqueNames {
  private var taken: Set<String>

  init(reserving taken: Set<String> = []) {
    self.taken = taken
  }

  /// Takes a name, or the name with the first number from 2 that makes it new.
  ///
  /// - Parameters:
  ///   - wanted: The name.
  ///   - variants: What else must be free, for names that further names are derived from.
  mutating func take(_ wanted: String, variants: (String) -> [String] = { [$0] }) -> String {
    var name = wanted
    var number = 2
    while !taken.isDisjoint(with: variants(name)) {
      name = "\(wanted)\(number)"
      number += 1
    }
    taken.formUnion(variants(name))
    return name
  }
}
