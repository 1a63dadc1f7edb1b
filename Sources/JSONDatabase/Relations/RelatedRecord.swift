package import OrderedJSON

/// A record together with the related records that were asked for.
package struct RelatedRecord: Sendable {
  package let record: ValidJSON
  /// The names and values to add, in order; the record has no member of any of the names.
  package let related: [(name: String, value: ValidJSON.AddedValue)]

  /// Joins a record with what is related to it.
  package init(record: ValidJSON, related: [(name: String, value: ValidJSON.AddedValue)] = []) {
    self.record = record
    self.related = related
  }

  /// The record with what is related to it as one value.
  var joined: ValidJSON {
    record.withToken { related.isEmpty || $0.kind != .object ? record : ValidJSON($0, adding: related) }
  }

  /// Appends the record, with what is related to it, as JSON text.
  ///
  /// - Parameters:
  ///   - formatter: How to lay it out.
  ///   - level: The number of levels around the record.
  package func append(to output: inout [UInt8], _ formatter: JSONFormatter, level: Int) {
    formatter.append(joined, level: level, to: &output)
  }
}

/// Records together with what is related to them.
package struct RelatedRecords: Sendable {
  package let records: [RelatedRecord]
  /// The names of relations that were not put into records which have a member of that name.
  package let hiddenNames: [String]
}
