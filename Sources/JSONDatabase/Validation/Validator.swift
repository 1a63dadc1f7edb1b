package import JSONServerValues

/// Reports errors of a file, which a server would refuse, and warnings about surprising results.
package struct Validator {
  private let schema: Schema

  /// Creates a validator for the names by which records are identified and related.
  package init(schema: Schema = Schema()) {
    self.schema = schema
  }

  /// Returns the findings about a text, in the text's order; only the first syntax error.
  ///
  /// - Complexity: O(size of the text).
  package func findings(in text: UTF8Slice) -> [Finding] {
    text.withBytes { bytes in
      var findings = FindingList()
      var scanner = JSONScanner(text, maximumDepth: schema.maximumDepth)
      let start = scanner.skipWhitespace(from: JSONSyntax.endOfByteOrderMark(in: bytes))
      guard start < bytes.count else {
        findings.add(.error, "the file is empty; write {} or {\"posts\": []} into it", at: start)
        return findings.located(in: bytes)
      }
      do throws(JSONError) {
        let document = try scanner.scanDocument()
        document.withToken { check($0, at: document.offset - text.offset, &findings) }
      } catch {
        findings.add(.error, error.message, at: error.offset)
      }
      return findings.located(in: bytes)
    }
  }

  /// Checks the document's value, which starts at an offset of the text.
  private func check(_ document: ValueToken, at start: Int, _ findings: inout FindingList) {
    guard var reader = ObjectReader(document) else {
      findings.add(.error, "the file must hold a JSON object, such as {\"posts\": []}", at: start)
      return
    }
    var collections: [CollectionSurvey] = []
    var names: Set<ByteExactKey> = []
    while let member = reader.next() {
      let name = member.nameText
      let nameOffset = start + member.name.offset(in: document)
      let value = member.value
      let isFirst = names.insert(ByteExactKey(name)).inserted
      if !isFirst {
        findings.add(.error, "'\(name)' is given twice; rename one of the two or join them", at: nameOffset)
      }
      if name == "$schema" { continue }
      checkName(name, at: nameOffset, &findings)
      let valueOffset = start + value.offset(in: document)
      switch value.kind {
      case .array:
        guard let records = ArrayReader(value) else { break }
        collections.append(
          CollectionSurvey(name, records, of: value, at: valueOffset, idName: schema.idName(of: name)))
      case .object: break
      case .null, .bool, .number, .string:
        let message = "'\(name)' is \(value.kind.description); a resource is an array of records or an object"
        findings.add(.error, message, at: valueOffset)
      }
      DuplicateNames.forEach(in: value) { name, offset in
        findings.add(
          .warning, "the member '\(name)' is given twice; JSON readers differ in which counts", at: valueOffset + offset
        )
      }
    }
    for collection in collections { collection.checkRecords(&findings) }
    let foreignKeys = ForeignKeys(collections, schema: schema)
    for collection in collections { foreignKeys.check(collection, &findings) }
  }

  /// The names whose routes belong to the server.
  private static let takenNames = ["db", "__admin", "__rules", ".", ".."]

  private func checkName(_ name: String, at offset: Int, _ findings: inout FindingList) {
    if Self.takenNames.contains(name) {
      findings.add(.warning, "the address /\(name) does not lead to the resource '\(name)'; rename it", at: offset)
    }
    if name.isEmpty { findings.add(.error, "a resource needs a name; this key is empty", at: offset) }
    if name.contains("/") {
      findings.add(
        .error, "the key '\(name)' holds a slash, which no address can have; rename it",
        at: offset)
    }
  }
}

/// The positions and the ids of a collection's records.
///
/// Valid only as long as the text.
private struct CollectionSurvey {
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

  /// Reports records that have no address of their own.
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

/// Finds names that an object has twice, at any depth.
private enum DuplicateNames {
  /// Calls a closure with each repeated name and its offset in the value.
  static func forEach(in value: ValueToken, _ body: (String, Int) -> Void) {
    // The names so far in each open object, the outermost first; `nil` for an array.
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

/// The foreign keys between collections, and the existing ids.
private struct ForeignKeys {
  private let collections: [CollectionSurvey]
  private let schema: Schema

  init(_ collections: [CollectionSurvey], schema: Schema) {
    self.collections = collections
    self.schema = schema
  }

  /// Reports records that refer to missing ones, by the foreign keys of embedding and deletions.
  func check(_ collection: CollectionSurvey, _ findings: inout FindingList) {
    let parents = parents(of: collection)
    guard !parents.isEmpty else { return }
    for (index, record) in collection.records.enumerated() {
      guard var reader = ObjectReader(record.value) else { continue }
      while let member = reader.next() {
        guard let parent = parents[ByteExactKey(member.nameText)] else { continue }
        for value in Self.references(member.value) where !parent.ids.contains(ByteExactKey(value.idText)) {
          let message =
            "record \(index + 1) of '\(collection.name)' refers to \(Self.text(value)) of '\(parent.name)', which is not "
            + "there"
          findings.add(.warning, message, at: collection.offset(of: value, in: record))
        }
      }
    }
  }

  /// The collections to which a collection's records refer, by foreign key.
  private func parents(of child: CollectionSurvey) -> [ByteExactKey: CollectionSurvey] {
    var parents: [ByteExactKey: CollectionSurvey] = [:]
    for parent in collections {
      for names in [schema.foreignKeys(in: child.name, to: parent.name), schema.listKeys(to: parent.name)] {
        let keys = names.map { ByteExactKey($0) }
        if let key = keys.first(where: child.memberNames.contains) { parents[key] = parent }
      }
    }
    return parents
  }

  /// The values of a foreign key: the value itself, or the elements of a list; none for null.
  private static func references(_ value: ValueToken) -> [ValueToken] {
    (ArrayReader(value).map { Array($0) } ?? [value]).filter { !$0.isNull }
  }

  /// A value in a message: a text as it is, any other value as JSON, shortened when it is long.
  private static func text(_ value: ValueToken) -> String {
    let text = value.kind == .string ? value.text : String(decoding: value.bytes, as: UTF8.self)
    return text.count > 40 ? text.prefix(40) + "…" : text
  }
}

/// An error or a warning about a file.
package struct Finding: Sendable, Hashable, CustomStringConvertible {
  package enum Severity: Sendable, Hashable {
    /// A server would refuse the file.
    case error
    /// A server would serve the file, with surprising results.
    case warning
  }

  package let severity: Severity
  /// A sentence for people, without the place.
  package let message: String
  /// The offset of the place in bytes, from 0.
  package let offset: Int
  /// The line of the place, from 1.
  package let line: Int
  /// The column of the place in characters, from 1.
  package let column: Int

  package var description: String { "\(line):\(column): \(message)" }
}

extension Finding {
  /// Creates a finding about a place of a text. O(offset).
  package init(_ severity: Severity, _ message: String, at offset: Int, in text: [UInt8]) {
    let place = text.withUnsafeBufferPointer { TextPosition(offset: offset, in: $0) }
    self.init(severity: severity, message: message, offset: offset, line: place.line, column: place.column)
  }
}

/// Findings before they are sorted in the order of the text, with line and column.
private struct FindingList {
  private var found: [(severity: Finding.Severity, message: String, offset: Int)] = []

  mutating func add(_ severity: Finding.Severity, _ message: String, at offset: Int) {
    found.append((severity, message, offset))
  }

  /// The findings in the order of the text. O(size of the text) for all of them together.
  func located(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
    var (offset, line, column) = (0, 1, 1)
    return found.sorted { $0.offset < $1.offset }.map { found in
      // From one finding to the next, so that a file with one long line is also read once.
      let step = TextPosition(
        offset: found.offset - offset, in: UnsafeBufferPointer(rebasing: bytes[offset...]))
      column = step.line == 1 ? column + step.column - 1 : step.column
      line += step.line - 1
      offset = found.offset
      return Finding(
        severity: found.severity, message: found.message, offset: found.offset, line: line, column: column)
    }
  }
}
