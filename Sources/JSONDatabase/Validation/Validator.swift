package import JSONServerValues

/// Reports errors of a file, which a server would refuse, and warnings about surprising results.
package struct Validator {
  private let schema: Schema
  private let arrayName: String?

  /// Creates a validator for the names by which records are identified and related.
  ///
  /// - Parameter arrayName: The collection that a text with an array holds; `nil` when such a text cannot be served.
  package init(schema: Schema = Schema(), arrayName: String? = nil) {
    self.schema = schema
    self.arrayName = arrayName
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
    let isArray = document.kind == .array
    let array = arrayName.flatMap { isArray ? [(name: $0, nameOffset: document.offset, value: document)] : nil }
    guard let members = document.members ?? array else {
      findings.refuse(isArray ? Unsuitable.namelessArray : Unsuitable.noObject, at: document.offset)
      return
    }
    var entries: [ResourceEntry] = []
    var names: Set<ByteExactKey> = []
    for (name, nameOffset, value) in members {
      let isFirst = names.insert(ByteExactKey(name)).inserted
      for fault in Unsuitable.faults(ofName: name, isFirst: isFirst) { findings.refuse(fault, at: nameOffset) }
      if name == Unsuitable.schemaName { continue }
      if Self.takenNames.contains(name) {
        findings.warn("the address /\(name) does not lead to the resource '\(name)'; rename it", at: nameOffset)
      }
      switch value.kind {
      // A collection, for what its indexes know.
      case .array: if isFirst { entries.append(ResourceEntry(name, elements: value.elements ?? [], schema: schema)) }
      case .object: break
      case .null, .bool, .number, .string:
        findings.refuse(Unsuitable.fault(of: name, value.kind), at: value.offset)
      }
      addDuplicateNames(in: value, &findings)
    }
    let database = Database(schema: schema, prefix: UTF8Slice(""), entries: entries, suffix: UTF8Slice(""))
    for collection in database.entries.compactMap(\.collection) { collection.checkRecords(schema, &findings) }
    database.checkForeignKeys(&findings)
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
            "the member '\(name)' is given twice; some programs read the first, others the last",
            at: value.offset + token.offset(in: whole))
        }
      }
    }
  }
}

extension Database {
  /// Reports records that refer to missing ones.
  fileprivate func checkForeignKeys(_ findings: inout FindingList) {
    let references = Dictionary(grouping: relations(), by: { ByteExactKey($0.child) })
    for collection in entries.lazy.compactMap(\.collection) {
      let parents = (references[ByteExactKey(collection.name)] ?? []).compactMap { reference in
        (try? self.collection(reference.parent)).map { (key: Array(reference.key.utf8), parent: $0) }
      }
      guard !parents.isEmpty else { continue }
      for (number, record) in zip(1..., SelectedRecords(collection.rows)) {
        for (key, parent) in parents {
          guard let value = record.member(key) else { continue }
          for value in value.elements ?? [value]
          where value.kind != .null && parent.slot(of: value.withToken(\.text), .endless) == nil {
            findings.warn(
              "record \(number) of '\(collection.name)' refers to \(value.excerpt) of '\(parent.name)', which is not "
                + "there", at: value.offset)
          }
        }
      }
    }
  }
}

extension ValidJSON {
  /// The value in a message: a text as it is, any other value as JSON, shortened when it is long.
  fileprivate var excerpt: String {
    let text = kind == .string ? withToken(\.text) : string
    return text.count > 40 ? text.prefix(40) + "…" : text
  }
}

/// The reasons why a file cannot be served.
enum Unsuitable {
  /// The member that names a JSON schema for editors.
  static let schemaName = "$schema"
  static let emptyFile = "the file is empty; write {} or {\"posts\": []} into it"
  static let noObject = "the file must hold a JSON object, such as {\"posts\": []}"
  static let namelessArray =
    "this array has no name; write {\"posts\": [ … ]}, or keep it in a file with the name, such as posts.json"

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

extension RecordCollection {
  /// Reports records that have no address of their own.
  fileprivate func checkRecords(_ schema: Schema, _ findings: inout FindingList) {
    let idMember = Array(idName.utf8)
    let kinds = kinds(of: idMember, .endless).seen
    var first: ValueToken.Kind?
    var isMixed = kinds.contains(.number) && kinds.contains(.string)
    var nameless: [(number: Int, offset: Int)] = []
    for (slot, record) in SelectedRecords(rows).enumerated() {
      let number = slot + 1
      guard record.kind == .object else {
        findings.warn(
          "element \(number) of '\(name)' is \(record.kind.description); only objects have an address",
          at: record.offset)
        continue
      }
      guard let id = record.member(idMember) else {
        nameless.append((number, record.offset))
        continue
      }
      guard let text = id.withToken(\.recordID), !text.isEmpty else {
        let fault = id.kind == .string ? "empty, and so no address" : id.kind.description
        findings.warn("the '\(idName)' of record \(number) of '\(name)' is \(fault)", at: id.offset)
        continue
      }
      if RecordCollection.namesNoRecord(text) {
        findings.warn(
          "the '\(idName)' of record \(number) of '\(name)' is '\(text)', which has no address; choose another",
          at: id.offset)
      }
      if let other = self.slot(of: text, .endless), other != slot {
        findings.warn(
          "record \(number) of '\(name)' has the id \(text) of record \(other + 1), and cannot be reached",
          at: id.offset)
      }
      if isMixed, let first, first != id.kind {
        isMixed = false
        findings.warn("the ids of '\(name)' are numbers and strings; new ones follow the numbers", at: id.offset)
      }
      first = first ?? id.kind
    }
    report(nameless, schema, &findings)
  }

  /// Reports the records without an id, and the member that may be meant as their id.
  private func report(
    _ nameless: [(number: Int, offset: Int)], _ schema: Schema, _ findings: inout FindingList
  ) {
    guard let first = nameless.first else { return }
    let others = nameless.count > 1 ? " and \(nameless.count - 1) more" : ""
    let verb = nameless.count > 1 ? "have" : "has"
    let proposal = nameless.count == count ? schema.idProposal(of: name, SelectedRecords(rows)) : nil
    let hint = proposal.map { "; \(schema.idAdvice($0, of: name))" }
    findings.warn(
      "record \(first.number)\(others) of '\(name)' \(verb) no '\(idName)', and so no address\(hint ?? "")",
      at: first.offset)
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
  package var message: String
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
    self.init(severity, message, at: offset, line: place.line, column: place.column)
  }

  /// Creates a finding about a place.
  package init(_ severity: Severity, _ message: String, at offset: Int, line: Int, column: Int) {
    self.init(severity: severity, message: message, offset: offset, line: line, column: column)
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
