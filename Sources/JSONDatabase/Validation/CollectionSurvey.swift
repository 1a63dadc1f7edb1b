import OrderedJSON

/// The records of a collection as the validator looks at them: where they stand and what their ids are.
///
/// Valid only while the text lives.
struct CollectionSurvey {
  struct Record {
    /// The bytes of the record, which may be any value.
    let value: ValueToken
    /// The record's offset in the text.
    let offset: Int
    let id: ValueToken?
  }

  let name: String
  let records: [Record]
  /// The texts of all ids.
  let ids: Set<ByteExactKey>

  private let idName: String

  /// Reads the array of a collection, which starts at an offset of the text.
  init(_ name: String, _ array: UnsafeBufferPointer<UInt8>, at start: Int, idName: String) {
    self.name = name
    self.idName = idName
    let idMember = Array(idName.utf8)
    records = ArrayReader(array).map { value in
      let id = ObjectReader.value(named: idMember, in: value.bytes)
      return Record(value: value, offset: start + Self.distance(from: array, to: value.bytes), id: id)
    }
    ids = Set(records.compactMap { $0.id.map { ByteExactKey($0.idText) } })
  }

  /// Says which records have no address of their own.
  func checkRecords(_ findings: inout FindingList) {
    var numbers: [ByteExactKey: Int] = [:]
    var firstKind: ValueToken.Kind?
    var isMixed = false
    for (index, record) in records.enumerated() {
      let number = index + 1
      guard record.value.kind == .object else {
        findings.add(
          .warning, "element \(number) of '\(name)' is \(record.value.kind.description); only objects have an address",
          at: record.offset)
        continue
      }
      guard let id = record.id else {
        findings.add(.warning, "record \(number) of '\(name)' has no '\(idName)', and so no address", at: record.offset)
        continue
      }
      let offset = self.offset(of: id, in: record)
      guard id.kind == .number || id.kind == .string else {
        findings.add(.warning, "the '\(idName)' of record \(number) of '\(name)' is \(id.kind.description)", at: offset)
        continue
      }
      if id.idText.isEmpty {
        findings.add(
          .warning, "the '\(idName)' of record \(number) of '\(name)' is empty, and so no address", at: offset)
        continue
      }
      if let first = numbers[ByteExactKey(id.idText)] {
        findings.add(
          .warning, "record \(number) of '\(name)' has the id \(id.idText) of record \(first), and cannot be reached",
          at: offset)
      } else {
        numbers[ByteExactKey(id.idText)] = number
      }
      if let firstKind, firstKind != id.kind, !isMixed {
        isMixed = true
        findings.add(.warning, "the ids of '\(name)' are numbers and strings; new ones follow the numbers", at: offset)
      }
      firstKind = firstKind ?? id.kind
    }
  }

  /// The offset in the text of a value inside a record.
  func offset(of token: ValueToken, in record: Record) -> Int {
    record.offset + Self.distance(from: record.value.bytes, to: token.bytes)
  }

  private static func distance(
    from outer: UnsafeBufferPointer<UInt8>, to inner: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard let start = outer.baseAddress, let place = inner.baseAddress else { return 0 }
    return place - start
  }
}

/// Finds members that an object gives twice, at any depth.
enum DuplicateNames {
  /// Calls a closure with each further member of a name and its offset, in valid JSON text.
  static func forEach(in bytes: UnsafeBufferPointer<UInt8>, _ body: (String, Int) -> Void) {
    // The names so far of each open object, outermost first; an array has none.
    var open: [Set<ByteExactKey>?] = []
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"): open.append([])
      case UInt8(ascii: "["): open.append(nil)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open.removeLast()
      case UInt8(ascii: "\""):
        let end = JSONSyntax.endOfString(in: bytes, from: position)
        let next = JSONSyntax.skipWhitespace(in: bytes, from: end)
        if next < bytes.count, bytes[next] == UInt8(ascii: ":"), let last = open.indices.last {
          let name = JSONText.unescape(UnsafeBufferPointer(rebasing: bytes[position..<end]))
          if open[last]?.insert(ByteExactKey(name)).inserted == false { body(name, position) }
        }
        position = end
        continue
      default: break
      }
      position += 1
    }
  }
}
