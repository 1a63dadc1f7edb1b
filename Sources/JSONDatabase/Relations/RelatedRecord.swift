package import OrderedJSON

/// A record together with the related records that were asked for.
package struct RelatedRecord: Sendable {
  package let record: ValidJSON
  /// The names and values to add, in order; each takes the place of a member of that name.
  package let related: [(name: String, value: ValidJSON.AddedValue)]

  /// Joins a record with what is related to it.
  package init(record: ValidJSON, related: [(name: String, value: ValidJSON.AddedValue)] = []) {
    self.record = record
    self.related = related
  }

  /// Appends the record, with what is related to it, as JSON text.
  ///
  /// - Parameters:
  ///   - formatter: How to lay it out.
  ///   - level: The number of levels around the record.
  package func append(to output: inout [UInt8], _ formatter: JSONFormatter, level: Int) {
    record.withToken { record in
      guard !related.isEmpty, record.kind == .object else { return formatter.append(record, level: level, to: &output) }
      formatter.append(ValidJSON(record, adding: related), level: level, to: &output)
    }
  }
}
