/// A path in which a `*` stands for any characters, slashes among them.
struct PathPattern: Sendable, Hashable {
  private let pattern: [UInt8]

  init(_ text: String) {
    pattern = Array(text.utf8)
  }

  /// Whether a decoded path fits. O(length of the pattern × length of the path) at worst.
  func matches(_ path: String) -> Bool {
    let path = Array(path.utf8)
    var (place, position) = (0, 0)
    // After the last `*`: where the pattern goes on, and the first byte of the path that the `*` has not taken yet.
    var retry: (place: Int, position: Int)?
    while position < path.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        place += 1
        retry = (place, position)
      } else if place < pattern.count, pattern[place] == path[position] {
        place += 1
        position += 1
      } else if let (start, taken) = retry {
        retry = (start, taken + 1)
        (place, position) = (start, taken + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
