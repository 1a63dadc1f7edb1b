import JSONServerValues

/// A record in the form of the file: its text and the white space around it.
///
/// 24 bytes: a million rows must not need more memory than their file has.
struct Row: Sendable {
  /// The record's JSON text.
  let record: ValidJSON
  private let leadCount: UInt16
  private let trailCount: UInt16

  /// Creates a row of a record and the white space around it in its storage.
  ///
  /// - Parameters:
  ///   - lead: The number of bytes of white space before the record.
  ///   - trail: The number of bytes of white space after the record.
  init(_ record: ValidJSON, lead: Int = 0, trail: Int = 0) {
    self.record = record
    // White space beyond 64 KiB on one side is dropped: it is layout, not data.
    leadCount = UInt16(clamping: lead)
    trailCount = UInt16(clamping: trail)
  }

  /// Creates a row of a new record with margins.
  init(_ record: ValidJSON, between margins: ObjectDraft.Margins) {
    self.init(record, lead: margins.lead.count, trail: margins.trail.count)
  }

  /// The white space around the record, for a record that replaces it.
  var margins: ObjectDraft.Margins {
    let trail = UTF8Slice(record.storage, offset: end, count: Int(trailCount))
    return ObjectDraft.Margins(lead: lead.withBytes { Array($0) }, trail: trail.withBytes { Array($0) })
  }

  /// The white space before the record.
  var lead: UTF8Slice {
    UTF8Slice(record.storage, offset: record.offset - Int(leadCount), count: Int(leadCount))
  }

  /// The record with the white space around it, in the form of the file.
  var layoutText: UTF8Slice {
    UTF8Slice(record.storage, offset: layoutExtent.lowerBound, count: layoutExtent.count)
  }

  /// The place of ``layoutText`` in the storage.
  var layoutExtent: Range<Int> { record.offset - Int(leadCount)..<end + Int(trailCount) }

  /// The layout of the record; `nil` when it has no members.
  var layout: JSONLayout? {
    withRecord { record in lead.withBytes { JSONLayout.inferred(from: record, lead: $0) } }
  }

  /// The text of the id in a member of the record; `nil` for none.
  func id(named idName: String) -> ByteExactKey? {
    withRecord { record in
      guard let id = record.member(Array(idName.utf8)), !id.isNull else { return nil }
      return ByteExactKey(id.text)
    }
  }

  /// Whether two rows are the same text in memory.
  static func isSame(_ left: Row?, _ right: Row?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.record.isSame(as: right.record)
  }

  /// The offset of the record's end in its storage.
  var end: Int { record.offset + record.count }

  /// Calls a closure with the record as a value.
  @inline(__always)
  func withRecord<Result>(_ body: (ValueToken) -> Result) -> Result {
    record.withToken(body)
  }
}
