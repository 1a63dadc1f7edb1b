package import OrderedJSON

/// A record together with the related records that were asked for.
package struct RelatedRecord: Sendable {
  package enum Value: Sendable {
    case many([UTF8Slice])
    case one(UTF8Slice)
  }

  package let record: UTF8Slice
  /// The names and values to add, in order; each takes the place of a member of that name.
  package let related: [(name: String, value: Value)]

  /// Joins a record with what is related to it.
  package init(record: UTF8Slice, related: [(name: String, value: Value)] = []) {
    self.record = record
    self.related = related
  }
}

extension RelatedRecord {
  /// Appends the record, with what is related to it, as JSON text.
  ///
  /// - Parameters:
  ///   - formatter: How to lay it out.
  ///   - level: The number of levels the record stands in.
  package func append(to output: inout [UInt8], _ formatter: JSONFormatter, level: Int) {
    record.withBytes { bytes in
      guard !related.isEmpty, bytes.first == UInt8(ascii: "{") else {
        formatter.append(bytes, level: level, to: &output)
        return
      }
      let joined = joinedText(bytes)
      _ = joined.withUnsafeBufferPointer { formatter.append($0, level: level, to: &output) }
    }
  }

  /// The record's members but those that are replaced, then the related records under their names.
  private func joinedText(_ record: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let names = related.map { Array($0.name.utf8) }
    var text: [UInt8] = []
    var reader = ObjectReader(record)
    while let member = reader.next() {
      if names.contains(where: { reader.isNamed($0, member) }) { continue }
      text.append(UInt8(ascii: ","))
      text += record[member.name.lowerBound..<member.value.upperBound]
    }
    for (name, value) in related {
      text.append(UInt8(ascii: ","))
      JSONText.appendEscaped(name, to: &text)
      text.append(UInt8(ascii: ":"))
      switch value {
      case .one(let record): record.withBytes { text += $0 }
      case .many(let records):
        text.append(UInt8(ascii: "["))
        for (index, record) in records.enumerated() {
          if index > 0 { text.append(UInt8(ascii: ",")) }
          record.withBytes { text += $0 }
        }
        text.append(UInt8(ascii: "]"))
      }
    }
    text[0] = UInt8(ascii: "{")
    text.append(UInt8(ascii: "}"))
    return text
  }
}
