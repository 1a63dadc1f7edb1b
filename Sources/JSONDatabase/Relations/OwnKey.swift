import JSONServerValues

/// What a member that is named after its own collection means, such as `postId` in `posts` or `commentId` in `comments`.
///
/// In some files it is another number of the record, in others it names the record to which this one belongs. It counts as
/// a reference only where nearly all its values name other records: else a deletion would take strangers with it.
struct OwnKey: RowIndex {
  private let key: [UInt8]
  private let idName: [UInt8]
  /// The number of records with each id.
  private var ids: [ByteExactKey: Int] = [:]
  /// The number of values with each text, without those that name their own record.
  private var values: [ByteExactKey: Int] = [:]
  /// The number of all ``values``, and of those that name a record.
  private var count = 0
  private var named = 0
  /// The number of values that name their own record.
  private var own = 0

  /// Reads all rows. O(n).
  init(_ path: FieldPath, idName: String, rows: PersistentRowVector) {
    key = path.whole
    self.idName = Array(idName.utf8)
    rows.forEach { _, row in count(row, 1) }
  }

  /// Whether at least nine of ten values name another record. Where there are none, nothing speaks against it.
  var isReference: Bool { count > 0 ? named * 10 >= count * 9 : own == 0 }

  mutating func follow(_ changes: RowChanges) -> Bool {
    changes.forEachStep { count($0, $1) }
    return true
  }

  /// Adds a row, or removes it by a negative step.
  private mutating func count(_ row: Row, _ step: Int) {
    let (id, texts) = row.withRecord { record in
      let value = record.member(key)
      let texts = value.flatMap { ArrayReader($0)?.compactMap(\.recordID) } ?? value?.recordID.map { [$0] } ?? []
      return (record.member(idName)?.recordID, texts)
    }
    if let id {
      let before = Self.add(step, to: &ids, ByteExactKey(id))
      // The values that name the record are named with its first, and no more after its last.
      if before == 0 || before + step == 0 { named += step * (values[ByteExactKey(id)] ?? 0) }
    }
    for text in texts {
      if text == id {
        own += step
        continue
      }
      Self.add(step, to: &values, ByteExactKey(text))
      count += step
      if ids[ByteExactKey(text)] != nil { named += step }
    }
  }

  /// - Returns: The number before.
  @discardableResult
  private static func add(_ step: Int, to counts: inout [ByteExactKey: Int], _ text: ByteExactKey) -> Int {
    let before = counts[text] ?? 0
    counts[text] = before + step == 0 ? nil : before + step
    return before
  }
}
