/// Assigns names, each only once.
struct UniqueNames {
  private var taken: Set<String>
  /// The number that was tried last for each name that is taken already.
  private var numbers: [String: Int] = [:]

  init(reserving taken: Set<String> = []) {
    self.taken = taken
  }

  /// Takes a name, or the name with the first number from 2 that makes it new.
  ///
  /// - Parameters:
  ///   - wanted: The name that is wanted.
  ///   - variants: What else must be free, for names from which further names are derived.
  mutating func take(_ wanted: String, variants: (String) -> [String] = { [$0] }) -> String {
    var name = wanted
    while !taken.isDisjoint(with: variants(name)) {
      // The numbers before are taken: a thousand resources of one name must not try each other's.
      let number = numbers[wanted, default: 1] + 1
      numbers[wanted] = number
      name = "\(wanted)\(number)"
    }
    taken.formUnion(variants(name))
    return name
  }
}
