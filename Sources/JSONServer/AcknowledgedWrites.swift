import JSONDatabase
import OrderedJSON

/// What was written over HTTP since the file was last read, to notice an editor that saves without having seen it.
struct AcknowledgedWrites {
  private struct Record: Hashable {
    let resource: String
    let id: String
  }

  /// The most records that are remembered; what is written beyond them is not told apart.
  private static let maximumCount = 10_000

  /// The text of each record as it was acknowledged; `nil` for one that was deleted.
  private var texts: [Record: Text?] = [:]

  /// Remembers a change whose answer is sent.
  mutating func note(_ change: DataChange) {
    guard texts.count < Self.maximumCount else { return }
    switch change {
    case .created(let name, let record), .updated(let name, let record):
      texts[Record(resource: name, id: record.id)] = .some(record.text)
    case .deleted(let name, let id, _):
      texts[Record(resource: name, id: id)] = .some(nil)
    case .reloaded: break
    }
  }

  /// The records, as paths, that another version lacks or holds differently, or brings back.
  func missing(from database: Database) -> [String] {
    var database = database
    return texts.compactMap { record, text in
      let now = try? database.record(record.id, in: record.resource)
      return Self.isSame(text, now) ? nil : "/\(record.resource)/\(record.id)"
    }.sorted()
  }

  /// Whether two records are the same but for their layout.
  private static func isSame(_ left: Text?, _ right: Text?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return compact(left) == compact(right)
  }

  private static func compact(_ text: Text) -> [UInt8] {
    var output: [UInt8] = []
    text.withBytes { _ = JSONFormatter(.compact).append($0, to: &output) }
    return output
  }
}
