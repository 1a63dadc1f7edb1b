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
      var findings = FindingList(text)
      var scanner = JSONScanner(text, maximumDepth: schema.maximumDepth)
      let start = scanner.skipWhitespace(from: JSONSyntax.endOfByteOrderMark(in: bytes))
      guard start < bytes.count else {
        findings.refuse(Unsuitable.emptyFile, at: text.offset + start)
        return findings.located(in: bytes)
      }
      do throws(JSONError) {
        check(try scanner.scanDocument(), &findings)
      } catch {
        findings.refuse(error.message, at: text.offset + error.offset)
      }
      return findings.located(in: bytes)
    }
  }

  private func check(_ document: ValidJSON, _ findings: inout FindingList) {
    guard let members = document.members else {
      findings.refuse(Unsuitable.noObject, at: document.offset)
      return
    }
    var collections: [CollectionSurvey] = []
    var names: Set<ByteExactKey> = []
    for (name, nameOffset, value) in members {
      for fault in Unsuitable.faults(ofName: name, isFirst: names.insert(ByteExactKey(name)).inserted) {
        findings.refuse(fault, at: nameOffset)
      }
      if name == Unsuitable.schemaName { continue }
      if Self.takenNames.contains(name) {
        findings.warn("the address /\(name) does not lead to the resource '\(name)'; rename it", at: nameOffset)
      }
      switch value.kind {
      case .array: collections.append(CollectionSurvey(name, value.elements ?? [], idName: schema.idName(of: name)))
      case .object: break
      case .null, .bool, .number, .string:
        findings.refuse(Unsuitable.fault(of: name, value.kind), at: value.offset)
      }
      addDuplicateNames(in: value, &findings)
    }
    for collection in collections { collection.checkRecords(&findings) }
    for collection in collections { checkForeignKeys(of: collection, to: collections, &findings) }
  }

  /// The names whose routes belong to the server.
  private static let takenNames = ["db", "__admin", "__rules", ".", ".."]

  /// Reports names that an object has twice, at any depth.
  private func addDuplicateNames(in value: ValidJSON, _ findings: inout FindingList) {
    value.withToken { whole in
      // The names so far in each open object, the outermost first; `nil` for an array.
      var open: [Set<ByteExactKey>?] = []
      var reader = TokenReader(whole)
      while let token = reader.next() {
        switch token {
        case .open(.object): open.append([])
        case .open: open.append(nil)
        case .close: open.removeLast()
        case .scalar: break
        case .name(let token):
          let name = String(decoding: token.unescapedContent, as: UTF8.self)
          guard open[open.count - 1]?.insert(ByteExactKey(name)).inserted == false else { break }
          findings.warn(
            "the member '\(name)' is given twice; JSON readers differ in which counts",
            at: value.offset + token.offset(in: whole))
        }
      }
    }
  }

  /// Reports records that refer to missing ones, by the foreign keys of embedding and deletions.
  private func checkForeignKeys(
    of collection: CollectionSurvey, to collections: [CollectionSurvey], _ findings: inout FindingList
  ) {
    let parents = parents(of: collection, among: collections)
    guard !parents.isEmpty else { return }
    for (index, record) in collection.records.enumerated() {
      for member in record.value.members ?? [] {
        guard let parent = parents[ByteExactKey(member.name)] else { continue }
        for value in member.value.elements ?? [member.value] {
          guard value.kind != .null, !parent.ids.contains(ByteExactKey(value.withToken(\.text))) else { continue }
          let message =
            "record \(index + 1) of '\(collection.name)' refers to \(Self.text(value)) of '\(parent.name)', which is not "
            + "there"
          findings.warn(message, at: value.offset)
        }
      }
    }
  }

  /// The collections to which a collection's records refer, by foreign key.
  private func parents(
    of child: CollectionSurvey, among collections: [CollectionSurvey]
  ) -> [ByteExactKey: CollectionSurvey] {
    var parents: [ByteExactKey: CollectionSurvey] = [:]
    for parent in collections {
      for names in [schema.foreignKeys(in: child.name, to: parent.name), schema.listKeys(to: parent.name)] {
        let keys = names.map { ByteExactKey($0) }
        if let key = keys.first(where: child.memberNames.contains) { parents[key] = parent }
      }
    }
    return parents
  }

  /// A value in a message: a text as it is, any other value as JSON, shortened when it is long.
  private static func text(_ value: ValidJSON) -> String {
    let text = value.kind == .string ? value.withToken(\.text) : value.string
    return text.count > 40 ? text.prefix(40) + "…" : text
  }
}

/// The reasons why a file cannot be served.
enum Unsuitable {
  /// The member that names a JSON schema for editors.
  static let schemaName = "$schema"
  static let emptyFile = "the file is empty; write {} or {\"posts\": []} into it"
  static let noObject = "the file must hold a JSON object, such as {\"posts\": []}"

  /// - Parameter isFirst: Whether no member before it has the name.
  static func faults(ofName name: String, isFirst: Bool) -> [String] {
    var faults = isFirst ? [] : ["'\(name)' is given twice; rename one of the two or join them"]
    if name.contains("/") { faults.append("the key '\(name)' holds a slash, which no address can have; rename it") }
    if name.isEmpty { faults.append("a resource needs a name; this key is empty") }
    return faults
  }

  /// The fault of a resource whose value is of a kind that is not served.
  static func fault(of name: String, _ kind: ValueToken.Kind) -> String {
    "'\(name)' is \(kind.description); a resource is an array of records or an object"
  }
}

/// The records of a collection, their members and ids.
private struct CollectionSurvey {
  let name: String
  /// The elements, which may be any value, with their ids.
  let records: [(value: ValidJSON, id: ValidJSON?)]
  /// The texts of all ids.
  let ids: Set<ByteExactKey>
  /// The members that some record has.
  let memberNames: Set<ByteExactKey>

  private let idName: String

  init(_ name: String, _ elements: [ValidJSON], idName: String) {
    self.name = name
    self.idName = idName
    let idMember = Array(idName.utf8)
    records = elements.map { ($0, $0.member(idMember)) }
    var memberNames: Set<ByteExactKey> = []
    for record in elements {
      for member in record.members ?? [] { memberNames.insert(ByteExactKey(member.name)) }
    }
    self.memberNames = memberNames
    ids = Set(records.compactMap { $0.id.map { ByteExactKey($0.withToken(\.text)) } })
  }

  /// Reports records that have no address of their own.
  func checkRecords(_ findings: inout FindingList) {
    var numbers: [ByteExactKey: Int] = [:]
    var firstKind: ValueToken.Kind?
    var isMixed = false
    for (index, record) in records.enumerated() {
      let number = index + 1
      guard record.value.kind == .object else {
        let kind = record.value.kind.description
        findings.warn(
          "element \(number) of '\(name)' is \(kind); only objects have an address", at: record.value.offset)
        continue
      }
      guard let id = record.id else {
        findings.warn("record \(number) of '\(name)' has no '\(idName)', and so no address", at: record.value.offset)
        continue
      }
      guard let text = id.withToken(\.recordID), !text.isEmpty else {
        let fault = id.kind == .string ? "empty, and so no address" : id.kind.description
        findings.warn("the '\(idName)' of record \(number) of '\(name)' is \(fault)", at: id.offset)
        continue
      }
      if let first = numbers[ByteExactKey(text)] {
        findings.warn(
          "record \(number) of '\(name)' has the id \(text) of record \(first), and cannot be reached", at: id.offset)
      } else {
        numbers[ByteExactKey(text)] = number
      }
      if let firstKind, firstKind != id.kind, !isMixed {
        isMixed = true
        findings.warn("the ids of '\(name)' are numbers and strings; new ones follow the numbers", at: id.offset)
      }
      firstKind = firstKind ?? id.kind
    }
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
  private let text: UTF8Slice
  private var found: [(severity: Finding.Severity, message: String, offset: Int)] = []

  init(_ text: UTF8Slice) {
    self.text = text
  }

  /// Adds an error about a place, given by its offset in the text's storage.
  mutating func refuse(_ message: String, at offset: Int) { found.append((.error, message, offset - text.offset)) }

  /// Adds a warning about a place, given by its offset in the text's storage.
  mutating func warn(_ message: String, at offset: Int) { found.append((.warning, message, offset - text.offset)) }

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
