import OrderedJSON

// A version of a collection is read on another thread, and what was found out about it is taken over.

extension RecordCollection {
  /// Whether reading all records takes noticeably long. O(1).
  var isLarge: Bool {
    count > Self.quickCount || rows.byteCount > Self.quickBytes
  }

  /// The most records that are tested or sorted without a second thought: half as many as a collection has that is not
  /// large, and no more bytes.
  var quickMatches: Int {
    min(Self.quickCount / 2, Self.quickBytes / max(rows.byteCount / max(count, 1), 1))
  }

  /// The most records, and bytes of records, that are read without a second thought: in about a millisecond.
  private static let quickCount = 2_000
  private static let quickBytes = 4 << 20

  /// Whether all ids were read.
  var hasIDs: Bool { idTable != nil }

  /// Whether it was read which members records have.
  var hasMembers: Bool { members != nil }

  /// Whether an index has the records whose value at a path equals a text.
  func hasSlots(where path: FieldPath) -> Bool { fields.hasEquality(of: path) }

  /// Gives up indexes that a change would copy while a copy of the collection is read.
  mutating func forgetEquality(unless isNeeded: (FieldPath) -> Bool) {
    fields.forgetEquality(unless: isNeeded)
  }

  /// Takes over what was found out about an earlier version, or about this one, brought up to date.
  ///
  /// - Complexity: O(records that have changed since, each as a write), and nothing where too many have.
  mutating func adopt(_ other: consuming RecordCollection) {
    guard lacksAny(of: other), other.idName == idName else { return }
    guard let changes = rows.differences(from: other.rows, atMost: Self.maximumChanges) else { return }
    // What both have is not brought up to date twice, nor copied for it.
    other.fields.remove(fields)
    if idTable != nil { other.idTable = nil }
    if members != nil { other.members = nil }
    if numericIDs != nil { other.numericIDs = nil }
    if uuids != nil { other.uuids = nil }
    // Removals first: an id may have moved from one record to another.
    for (slot, row) in changes where row == nil { other.set(nil, at: slot) }
    for (slot, row) in changes where row != nil { other.set(row, at: slot) }
    fields.add(other.fields)
    idTable = idTable ?? other.idTable
    members = members ?? other.members
    numericIDs = numericIDs ?? other.numericIDs
    uuids = uuids ?? other.uuids
  }

  /// Whether something was found out about another version that is not known of this one.
  func lacksAny(of other: RecordCollection) -> Bool {
    fields.lacksAny(of: other.fields) || idTable == nil && other.idTable != nil
      || members == nil && other.members != nil || numericIDs == nil && other.numericIDs != nil
      || uuids == nil && other.uuids != nil
  }

  /// The most changes that are worth following: with more, what was found out is found out anew.
  private static let maximumChanges = 2_000
}
