import OrderedJSON

/// A record as it stands in the file: its text and the white space around it.
///
/// 24 bytes: a million rows must not weigh more than the file they come from.
struct Row: Sendable {
  private let storage: UTF8Buffer
  private let offset: Int
  private let count: UInt32
  private let leadCount: UInt16
  private let trailCount: UInt16

  /// Creates a row over a piece of a storage.
  ///
  /// - Parameters:
  ///   - record: The range of the record's own text.
  ///   - lead: The number of bytes of white space before it.
  ///   - trail: The number of bytes of white space after it.
  init(_ storage: UTF8Buffer, record: Range<Int>, lead: Int, trail: Int) {
    self.storage = storage
    offset = record.lowerBound
    count = UInt32(record.count)
    // White space beyond 64 KiB on one side is dropped: it is layout, not data.
    leadCount = UInt16(clamping: lead)
    trailCount = UInt16(clamping: trail)
  }

  /// Creates a row from a record's text and the white space before it.
  init(lead: [UInt8], record: [UInt8]) {
    let text = UTF8Slice(lead + record)
    self.init(text.storage, record: lead.count..<text.count, lead: lead.count, trail: 0)
  }

  /// The row with another record between the same white space.
  func with(record: [UInt8]) -> Row {
    let trail = storage.bytes[(offset + Int(count))..<(offset + Int(count) + Int(trailCount))]
    let text = UTF8Slice(lead.withBytes { Array($0) } + record + trail)
    return Row(
      text.storage, record: Int(leadCount)..<(Int(leadCount) + record.count), lead: Int(leadCount),
      trail: Int(trailCount))
  }

  /// The record's JSON text.
  var record: UTF8Slice {
    UTF8Slice(storage, offset: offset, count: Int(count))
  }

  /// The white space before the record.
  var lead: UTF8Slice {
    UTF8Slice(storage, offset: offset - Int(leadCount), count: Int(leadCount))
  }

  /// The record with the white space around it, as it goes into the file.
  var layoutText: UTF8Slice {
    UTF8Slice(storage, offset: offset - Int(leadCount), count: Int(leadCount) + Int(count) + Int(trailCount))
  }

  /// The text of the id that a member of the record holds; `nil` when there is none.
  func id(named idName: String) -> ByteExactKey? {
    withRecord { record in
      guard let id = ObjectReader.value(named: Array(idName.utf8), in: record), !id.isNull else { return nil }
      return ByteExactKey(id.idText)
    }
  }

  /// The offset in its storage where the record ends.
  var end: Int { offset + Int(count) }

  /// Whether the record stands behind a text in the same storage.
  func follows(_ text: UTF8Slice) -> Bool {
    storage === text.storage && offset > text.offset + text.count
  }

  /// Gives a closure the record's bytes without touching a reference count twice.
  @inline(__always)
  func withRecord<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return body(UnsafeBufferPointer(rebasing: storage.bytes[offset..<(offset + Int(count))]))
  }
}
