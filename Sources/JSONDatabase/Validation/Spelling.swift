/// Finds the name that was probably meant by an unknown name.
package enum Spelling {
  /// Returns the candidate that was probably meant, or `nil` when none is similar.
  ///
  /// A candidate that differs only in case, `_` and `-` is nearest; then one that takes few changes of letters, fewer
  /// for short names. Of equally near candidates, the first is returned.
  package static func nearest(to name: String, among candidates: [String]) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let folded = fold(name)
    var best: (candidate: String, distance: Int)?
    let limit = folded.count < 3 ? 0 : folded.count < 6 ? 1 : 2
    for candidate in candidates where candidate != name && candidate.utf8.count <= 64 {
      let distance = distance(folded, fold(candidate))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  private static func fold(_ name: String) -> [Character] {
    Array(name.lowercased().filter { $0 != "_" && $0 != "-" })
  }

  /// The number of letters to add, remove, replace or swap with their neighbor (optimal string alignment).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var previous: [Int] = []
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var next = [i + 1]
      for (j, other) in right.enumerated() {
        var cost = min(row[j + 1] + 1, next[j] + 1, row[j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { cost = min(cost, previous[j - 1] + 1) }
        next.append(cost)
      }
      previous = row
      row = next
    }
    return row[right.count]
  }
}
