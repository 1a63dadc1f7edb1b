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

  /// What a record was before it was first written, and is since; `nil` where there is none.
  private struct Versions {
    let before: Text?
    var after: Text?
  }

  private var versions: [Record: Versions] = [:]

  /// Remembers a change whose answer is sent.
  mutating func note(_ change: DataChange) {
    switch change {
    case .created(let name, let record), .updated(let name, let record):
      note(Record(resource: name, id: record.id), before: record.before, after: record.text)
    case .deleted(let name, let id, let record, _):
      note(Record(resource: name, id: id), before: record, after: nil)
    case .reloaded: break
    // Nothing that was written before is there any more.
    case .replaced: self = AcknowledgedWrites()
    }
  }

  private mutating func note(_ record: Record, before: Text?, after: Text?) {
    guard versions.count < Self.maximumCount else { return }
    versions[record, default: Versions(before: before, after: nil)].after = after
  }

  /// Forgets what was written to a file that was read again.
  ///
  /// - Parameter resource: The file's resource; empty for the file of all.
  mutating func forget(_ resource: String) {
    versions = resource.isEmpty ? [:] : versions.filter { $0.key.resource != resource }
  }

  /// The records, as paths, that another version lacks although they were written, or holds as they were before.
  func missing(from database: Database) -> [String] {
    var database = database
    return versions.compactMap { record, versions in
      let now = try? database.record(record.id, in: record.resource)
      let isReverted = Self.isSame(versions.before, now) && !Self.isSame(versions.after, now)
      let isRemoved = now == nil && versions.after != nil
      return isReverted || isRemoved ? "/\(record.resource)/\(record.id)" : nil
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
