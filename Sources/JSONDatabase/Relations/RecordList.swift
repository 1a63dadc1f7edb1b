import JSONServerValues

/// The records of a response, in order, with their related records.
package struct RecordList: Sendable {
  private enum Content: Sendable {
    case selected(SelectedRecords)
    case related([RelatedRecord])
  }

  private let content: Content
  /// The members to show; `nil` for all.
  private var selection: FieldSelection?

  /// Records without related records.
  package init(_ records: SelectedRecords) {
    content = .selected(records)
  }

  package init(_ records: [RelatedRecord]) {
    content = .related(records)
  }

  /// The same records with selected members.
  package func selecting(_ fields: FieldSelection) -> RecordList {
    var list = self
    list.selection = fields
    return list
  }

  /// The records, if nothing is added to them or left out.
  var plain: SelectedRecords? {
    if case .selected(let records) = content, selection == nil { records } else { nil }
  }

  /// The number of records.
  package var count: Int {
    switch content {
    case .selected(let records): records.count
    case .related(let records): records.count
    }
  }

  /// The number of places; some may be empty.
  package var placeCount: Int {
    switch content {
    case .selected(let records): records.placeCount
    case .related(let records): records.count
    }
  }

  /// The first record.
  package var first: RelatedRecord? {
    (0..<placeCount).lazy.compactMap { self[$0] }.first
  }

  /// Returns the record at a place; `nil` for an empty place. O(1).
  package subscript(place: Int) -> RelatedRecord? {
    let record: RelatedRecord? =
      switch content {
      case .selected(let records): records.record(at: place).map { RelatedRecord(record: $0) }
      case .related(let records): records[place]
      }
    guard let selection, var record, !record.isMark else { return record }
    record.selection = selection
    return record
  }

  /// An estimate of the size of the records and their related records, up to a limit.
  ///
  /// - Complexity: O(number of records) until they exceed the limit.
  package func byteCount(upTo limit: Int) -> Int {
    var sum = 0
    for place in 0..<placeCount {
      guard let record = self[place] else { continue }
      sum += record.byteCount
      if sum > limit { return sum }
    }
    return sum
  }

  /// An estimate of the size of all records, from some of them. O(1), unless nearly all places are empty.
  package var estimatedByteCount: Int {
    let sample = min(placeCount, 64)
    // Samples from all positions: if the oldest records were deleted, the first places are empty.
    let sizes = (0..<sample).compactMap { self[$0 * placeCount / sample]?.byteCount }
    guard !sizes.isEmpty else { return (first?.byteCount ?? 0) * count }
    return sizes.reduce(0, +) / sizes.count * count
  }
}

extension RelatedRecord {
  /// An estimate of its size in a response.
  package var byteCount: Int {
    related.reduce(record.count) { sum, relation in
      switch relation.value {
      case .one(let value): sum + value.count
      case .many(let values): values.reduce(sum) { $0 + $1.count }
      }
    }
  }
}
