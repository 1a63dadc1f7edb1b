/// The characters as a pattern sees them: those that no set of the pattern distinguishes are one symbol.
struct Alphabet: Sendable {
  /// The number of symbols; they are numbered from 0.
  let count: Int

  /// The symbol of each ASCII character.
  let asciiSymbols: [UInt16]

  /// Where each run of code points with one symbol starts, in order, and the symbol of each run.
  private let starts: [UInt32]
  private let symbols: [UInt16]

  /// For each set, in the order given, whether it holds each symbol.
  private let memberships: [[Bool]]

  init(sets: [ScalarSet]) {
    var boundaries: Set<UInt32> = [0]
    for range in sets.lazy.flatMap(\.ranges) {
      boundaries.insert(range.lowerBound)
      boundaries.insert(range.upperBound + 1)
    }
    let starts = boundaries.sorted()
    var symbolOfMembership: [[Bool]: UInt16] = [:]
    var membershipOfSymbol: [[Bool]] = []
    let symbols = starts.map { start in
      let membership = sets.map { $0.contains(start) }
      if let symbol = symbolOfMembership[membership] { return symbol }
      let symbol = UInt16(membershipOfSymbol.count)
      symbolOfMembership[membership] = symbol
      membershipOfSymbol.append(membership)
      return symbol
    }
    self.starts = starts
    self.symbols = symbols
    count = membershipOfSymbol.count
    memberships = sets.indices.map { set in membershipOfSymbol.map { $0[set] } }
    asciiSymbols = (0..<UInt32(128)).map { Self.symbol(of: $0, starts: starts, symbols: symbols) }
  }

  /// Returns the symbol of a code point. O(log n) in the number of runs.
  func symbol(of value: UInt32) -> Int {
    Int(Self.symbol(of: value, starts: starts, symbols: symbols))
  }

  /// Returns whether a set, given by its index, holds the characters of a symbol.
  func set(_ set: Int, contains symbol: Int) -> Bool {
    memberships[set][symbol]
  }

  private static func symbol(of value: UInt32, starts: [UInt32], symbols: [UInt16]) -> UInt16 {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= value { low = middle } else { high = middle }
    }
    return symbols[low]
  }
}
