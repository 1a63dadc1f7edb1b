import OrderedJSON

/// The records of a collection as the validator sees them: where they are and what their ids are.
///
/// Valid only as long as the text.
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
  /// The members that some record has.
  let memberNames: Set<ByteExactKey>

  private let idName: String

  /// Reads the array of a collection, which starts at an offset of the text.
  init(_ name: String, _ array: ArrayReader, of value: ValueToken, at start: Int, idName: String) {
    self.name = name
    self.idName = idName
    let idMember = Array(idName.utf8)
    records = array.map { record in
      Record(value: record, offset: start + record.offset(in: value), id: record.member(idMember))
    }
    var memberNames: Set<ByteExactKey> = []
    for record in records {
      guard var reader = ObjectReader(record.value) else { continue }
      while let member = reader.next() { memberNames.insert(ByteExactKey(member.nameText)) }
    }
    self.memberNames = memberNames
    ids = Set(records.compactMap { $0.id.map { ByteExactKey($0.idText) } })
  }

  /// Reports which records have no address of their own.
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
    record.offset + token.offset(in: record.value)
  }
}

/// Finds members that an object gives twice, at any depth.
enum DuplicateNames {
  /// Calls a closure with each further member of the same name and its offset in the value.
  static func forEach(in value: ValueToken, _ body: (String, Int) -> Void) {
    // The names seen so far in each open object, outermost first; an array has none.
    var open: [Set<ByteExactKey>?] = []
    var reader = TokenReader(value)
    while let token = reader.next() {
      switch token {
      case .open(.object): open.append([])
      case .open: open.append(nil)
      case .close: open.removeLast()
      case .scalar: break
      case .name(let token):
        let name = ByteExactKey(String(decoding: token.unescapedContent, as: UTF8.self))
        if open[open.count - 1]?.insert(name).inserted == false { body(name.string, token.offset(in: value)) }
      }
    }
  }
}
