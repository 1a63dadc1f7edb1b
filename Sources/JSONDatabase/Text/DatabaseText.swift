import JSONServerValues

/// The text of one version of a database.
package struct DatabaseText: Sendable {
  let prefix: UTF8Slice
  let entries: PersistentArray<ResourceEntry>
  let suffix: UTF8Slice

  /// Calls a closure with the pieces of the text, in order. O(number of records).
  package func forEachSlice<Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try prefix.withBytes(body)
    for (index, entry) in entries.enumerated() {
      if index > 0 { try RecordCollection.comma.withBytes(body) }
      try entry.lead.withBytes(body)
      if let collection = entry.collection {
        try collection.forEachSlice(body)
      } else {
        try entry.text.slice.withBytes(body)
      }
      try entry.trail.withBytes(body)
    }
    try suffix.withBytes(body)
  }

  /// The text in the layout of `JSON.stringify(value, null, 2)` instead of the file's. O(number of resources).
  package var pretty: SlicedText {
    var segments: [SlicedText.Segment] = []
    for (index, entry) in entries.enumerated() {
      segments.append(.bytes(Array((index == 0 ? "{\n  " : ",\n  ").utf8) + entry.writtenName + Array(": ".utf8)))
      let records = entry.collection.map { RecordList(SelectedRecords($0.rows)) }
      segments.append(records.map { .records($0, level: 1) } ?? .value(entry.text, level: 1))
    }
    segments.append(.bytes(Array((entries.isEmpty ? "{}" : "\n}").utf8)))
    return SlicedText(segments)
  }

  /// All bytes in one array.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    forEachSlice { output += $0 }
    return output
  }
}

extension ResourceEntry {
  /// The name as written; the rest of the lead is white space and a colon.
  fileprivate var writtenName: [UInt8] {
    lead.withBytes { lead in
      guard let start = lead.firstIndex(of: UInt8(ascii: "\"")), let end = lead.lastIndex(of: UInt8(ascii: "\""))
      else { return [] }
      return Array(lead[start...end])
    }
  }
}

extension RecordCollection {
  fileprivate static let comma = UTF8Slice(",")
  private static let openingBracket = UTF8Slice("[")
  private static let closingBracket = UTF8Slice("]")

  /// Calls a closure with the pieces of the text; unchanged neighbors are one piece.
  fileprivate func forEachSlice<Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try Self.openingBracket.withBytes(body)
    var failure: Failure?
    var isFirst = true
    forEachRun { run in
      guard failure == nil else { return }
      do throws(Failure) {
        if !isFirst { try Self.comma.withBytes(body) }
        isFirst = false
        try run.withBytes(body)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    try (rows.count == 0 ? emptyTail : tail).withBytes(body)
    try Self.closingBracket.withBytes(body)
  }

  /// Calls a closure with the texts of the records, neighbors in one storage together. Not generic, so that each row
  /// costs no call.
  private func forEachRun(_ body: (UTF8Slice) -> Void) {
    // Numbers, since a slice of each row would count references.
    var storage: UTF8Buffer?
    var (start, end) = (0, 0)
    rows.forEach { _, row in
      let extent = row.layoutExtent
      if row.record.storage === storage, extent.lowerBound == end + 1 {
        end = extent.upperBound
        return
      }
      if let storage { body(UTF8Slice(storage, offset: start, count: end - start)) }
      (storage, start, end) = (row.record.storage, extent.lowerBound, extent.upperBound)
    }
    if let storage { body(UTF8Slice(storage, offset: start, count: end - start)) }
  }
}
