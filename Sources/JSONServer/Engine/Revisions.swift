import JSONStorage
import OrderedJSON

/// Numbers the versions of the data, for validators of bodies that are too large to be read for one.
///
/// A number is never given twice: what the data was changed back to is a version of its own.
struct Revisions {
  private var latest: UInt64 = 0
  /// The newest version in which all resources may have changed.
  private var all: UInt64 = 0
  private var changed: [Int: UInt64] = [:]
  /// Tells the versions of this server from those of all others, also of itself before a restart.
  private let origin = UInt64.random(in: .min ... .max)

  /// Records that resources have changed, by their positions.
  mutating func change(_ positions: Set<Int>) {
    latest += 1
    for position in positions { changed[position] = latest }
  }

  /// Records that anything may have changed.
  mutating func changeAll() {
    latest += 1
    all = latest
    changed = [:]
  }

  /// The validator of what a request shows of the data now.
  ///
  /// - Parameters:
  ///   - position: The one resource that the response depends on; `nil` when it may be several.
  ///   - representation: All that the response depends on besides the data.
  func validator(of position: Int?, as representation: [String]) -> EntityTag {
    let number = position.map { max(changed[$0] ?? 0, all) } ?? latest
    var bytes = withUnsafeBytes(of: origin) { Array($0) }
    for text in representation { bytes += Array(text.utf8) + [0xFF] }
    return EntityTag(version: number, of: bytes)
  }
}
