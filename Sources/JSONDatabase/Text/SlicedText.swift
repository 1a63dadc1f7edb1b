package import JSONServerValues

/// A JSON text in a layout for people that can be written in slices, from one version of the data.
///
/// It keeps its version in memory, but no text except that between the values.
package struct SlicedText: Sendable {
  /// A part of the text.
  package enum Segment: Sendable {
    case bytes([UInt8])
    /// A value that is nested in a number of levels.
    case value(ValidJSON, level: Int)
    /// An array of records that is nested in a number of levels.
    case records(RecordList, level: Int)
  }

  package let segments: [Segment]

  package init(_ segments: [Segment]) {
    self.segments = segments
  }

  /// Appends the whole text. O(its size).
  package func append(to output: inout [UInt8]) {
    var cursor = SliceCursor(self)
    cursor.append(toCount: .max, to: &output)
  }

  /// Whether the text is that of records and values as they are, so that each slice is made in a fraction of a
  /// millisecond.
  package var isPlain: Bool {
    segments.allSatisfy { segment in
      if case .records(let records, _) = segment { records.plain != nil } else { true }
    }
  }

  /// An estimate of its size, up to a limit.
  ///
  /// - Complexity: O(number of records and other values) until they exceed the limit.
  package func byteCount(upTo limit: Int) -> Int {
    var sum = 0
    for segment in segments {
      switch segment {
      case .bytes(let bytes): sum += bytes.count
      case .value(let value, _): sum += value.count
      case .records(let records, _): sum += records.byteCount(upTo: limit - sum)
      }
      if sum > limit { return sum }
    }
    return sum
  }

  /// An estimate of its size, from some records of each list. O(number of segments).
  package var estimatedByteCount: Int {
    segments.reduce(0) { sum, segment in
      switch segment {
      case .bytes(let bytes): sum + bytes.count
      case .value(let value, _): sum + value.count
      case .records(let records, _): sum + records.estimatedByteCount
      }
    }
  }
}

/// A position in a text that is written slice by slice.
package struct SliceCursor: Sendable {
  /// A larger value is written in several slices; smaller values are never divided.
  private static let largestUndivided = 64 * 1024
  private static let formatter = JSONFormatter(.pretty)

  private let text: SlicedText
  private var segment = 0
  /// The next place in a list, and whether a record was written already.
  private var place = 0
  private var hasWrittenRecord = false
  /// The value of which a part was written, and the position in it.
  private var divided: (value: ValidJSON, level: Int, position: JSONFormatter.Position)?
  /// How many bytes of a segment of bytes were written.
  private var written = 0

  package init(_ text: SlicedText) {
    self.text = text
  }

  /// Whether the whole text was written.
  package var isAtEnd: Bool { segment == text.segments.count && divided == nil }

  /// Appends the next part of the text, until the output has about a number of bytes or the text ends.
  ///
  /// - Parameter count: The number of bytes after which no other value is begun.
  package mutating func append(toCount count: Int, to output: inout [UInt8]) {
    GatheredText.append(to: &output) { append(toCount: count, to: &$0) }
  }

  /// Appends the next part of the text; see ``append(toCount:to:)-(_,[UInt8])``.
  package mutating func append(toCount count: Int, to output: inout GatheredText) {
    while output.count < count {
      if divided != nil {
        appendDivided(toCount: count, to: &output)
        continue
      }
      guard segment < text.segments.count else { return }
      switch text.segments[segment] {
      case .bytes(let bytes):
        let part = bytes[written...].prefix(count - output.count)
        part.withUnsafeBufferPointer { output.append($0) }
        written = part.endIndex
        if written == bytes.count { (segment, written) = (segment + 1, 0) }
      case .value(let value, let level):
        segment += 1
        begin(value, level: level, toCount: count, to: &output)
      case .records(let records, let level):
        appendRecords(of: records, level: level, toCount: count, to: &output)
      }
    }
  }

  private mutating func appendRecords(
    of records: RecordList, level: Int, toCount count: Int, to output: inout GatheredText
  ) {
    let end = records.placeCount
    let plain = records.plain
    while place < end, output.count < count, divided == nil {
      defer { place += 1 }
      guard let record = if let plain { plain.record(at: place) } else { records[place]?.joined } else { continue }
      output.append(hasWrittenRecord ? UInt8(ascii: ",") : UInt8(ascii: "["))
      Self.formatter.breakLine(level + 1, to: &output)
      hasWrittenRecord = true
      begin(record, level: level + 1, toCount: count, to: &output)
    }
    guard place == end, divided == nil else { return }
    if hasWrittenRecord {
      Self.formatter.breakLine(level, to: &output)
    } else {
      output.append(UInt8(ascii: "["))
    }
    output.append(UInt8(ascii: "]"))
    (segment, place, hasWrittenRecord) = (segment + 1, 0, false)
  }

  private mutating func begin(_ value: ValidJSON, level: Int, toCount count: Int, to output: inout GatheredText) {
    if count == .max || value.count <= Self.largestUndivided {
      var position = JSONFormatter.Position()
      value.withToken { Self.formatter.append($0, level: level, next: .max, from: &position, to: &output) }
    } else {
      divided = (value, level, JSONFormatter.Position())
    }
  }

  private mutating func appendDivided(toCount count: Int, to output: inout GatheredText) {
    guard let (value, level, start) = divided else { return }
    var position = start
    divided = nil
    let part = max(min(count - output.count, Self.largestUndivided), 1)
    value.withToken { Self.formatter.append($0, level: level, next: part, from: &position, to: &output) }
    if !position.isAtEnd { divided = (value, level, position) }
  }
}
