package import JSONServerValues

/// Reads a file's text into a database: checks every byte once, and records the position of each record.
struct DatabaseReader {
  private let text: UTF8Slice
  private let bytes: UnsafeBufferPointer<UInt8>
  private let schema: Schema
  private let lineage = Lineage()
  private var scanner: JSONScanner
  private var entries: [ResourceEntry] = []
  private var names: Set<ByteExactKey> = []
  private var defaultLayout = JSONLayout(margin: "    ")
  private let onRead: (@Sendable (Int) -> Void)?
  /// The start of the text that ``onRead`` has not counted yet.
  private var untold = 0

  /// Creates a reader; the caller keeps the text alive while it reads.
  ///
  /// - Parameter onRead: Called after about each MiB of records, with the number of bytes since the last call.
  init(_ text: UTF8Slice, schema: Schema, onRead: (@Sendable (Int) -> Void)? = nil) {
    self.text = text
    self.schema = schema
    self.onRead = onRead
    bytes = text.bytes
    scanner = JSONScanner(text, maximumDepth: schema.maximumDepth)
  }

  /// Reads a file's text.
  ///
  /// - Throws: ``JSONError`` for the first syntax error or, with code `unsuitable`, for data that cannot be served.
  mutating func read() throws(JSONError) -> Database {
    let start = scanner.skipWhitespace(from: JSONSyntax.endOfByteOrderMark(in: bytes))
    guard start < bytes.count else {
      throw unsuitable(Unsuitable.emptyFile, at: start)
    }
    guard bytes[start] == UInt8(ascii: "{") else {
      _ = try scanner.scanDocument()
      throw unsuitable(
        bytes[start] == UInt8(ascii: "[") ? Unsuitable.namelessArray : Unsuitable.noObject, at: start)
    }
    var end = scanner.skipWhitespace(from: start + 1)
    if end == bytes.count || bytes[end] != UInt8(ascii: "}") {
      end = start
      repeat {
        end = try readEntry(from: end + 1)
      } while end < bytes.count && bytes[end] == UInt8(ascii: ",")
      guard end < bytes.count, bytes[end] == UInt8(ascii: "}") else { throw scanner.expected("',' or '}'", at: end) }
    }
    let rest = scanner.skipWhitespace(from: end + 1)
    guard rest == bytes.count else {
      throw scanner.error(
        .trailingCharacters, "expected the end of the text, found \(scanner.describe(at: rest))", at: rest)
    }
    let suffix = entries.isEmpty ? start + 1 : end
    if schema.checks.followsData { for index in entries.indices { entries[index].keepExample() } }
    return Database(
      schema: schema, prefix: text[0..<(start + 1)], entries: entries, suffix: text[suffix..<bytes.count],
      lineage: lineage)
  }

  /// Reads a member: its name, its value and the white space around them, and returns the offset after them.
  private mutating func readEntry(from lead: Int) throws(JSONError) -> Int {
    let isFirst = entries.isEmpty
    let nameStart = scanner.skipWhitespace(from: lead)
    let (name, value) = try scanner.scanMember(from: nameStart, after: isFirst ? "{" : ",")
    if isFirst { defaultLayout = layout(ofLead: text[lead..<value]) }
    let (resource, end) = try readResource(name, at: value)
    try check(name, resource, at: nameStart, value: value)
    let next = scanner.skipWhitespace(from: end)
    entries.append(ResourceEntry(name: name, lead: text[lead..<value], resource: resource, trail: text[end..<next]))
    return next
  }

  /// Reads one top-level value; an array's elements become rows.
  private mutating func readResource(_ name: String, at start: Int) throws(JSONError) -> (Resource, end: Int) {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "["), name != Unsuitable.schemaName else {
      let value = try scanner.scanValue(from: start, depth: 1)
      // json-server 1.0 serves a number, a text or a boolean as it serves an object.
      let isScalar = value.withToken { ![.object, .null].contains($0.kind) }
      let isServed =
        name != Unsuitable.schemaName && (bytes[start] == UInt8(ascii: "{") || isScalar && schema.dialect == .v1)
      return (isServed ? .singular(value) : .unserved(value), scanner.offset(after: value))
    }
    var rows = PersistentRowVector()
    var position = start + 1
    var record = scanner.skipWhitespace(from: position)
    if record < bytes.count, bytes[record] == UInt8(ascii: "]") {
      return (collection(name, rows, tail: position..<record), record + 1)
    }
    while true {
      let value = try scanner.scanValue(from: record, depth: 2)
      let end = scanner.offset(after: value)
      let next = scanner.skipWhitespace(from: end)
      guard next < bytes.count, bytes[next] == UInt8(ascii: ",") || bytes[next] == UInt8(ascii: "]") else {
        throw scanner.expected("',' or ']'", at: next)
      }
      let isLast = bytes[next] == UInt8(ascii: "]")
      rows.append(Row(value, lead: record - position, trail: isLast ? 0 : next - end))
      if isLast { return (collection(name, rows, tail: end..<next), next + 1) }
      position = next + 1
      if position - untold >= 1 << 20 {
        onRead?(position - untold)
        untold = position
      }
      record = scanner.skipWhitespace(from: position)
    }
  }

  private func collection(_ name: String, _ rows: PersistentRowVector, tail: Range<Int>) -> Resource {
    .collection(
      RecordCollection(
        name: name, idName: schema.idName(of: name), rows: rows, tail: text[tail], defaultLayout: defaultLayout,
        lineage: lineage))
  }

  /// The layout of a first record: indented twice as deep as the file's first member, or on one line if the file is.
  private func layout(ofLead lead: UTF8Slice) -> JSONLayout {
    let space = UnsafeBufferPointer(rebasing: lead.bytes.prefix(while: JSONSyntax.isWhitespace))
    guard space.contains(UInt8(ascii: "\n")) else {
      return JSONLayout(indent: nil, afterColon: lead.bytes.last == UInt8(ascii: " ") ? " " : "")
    }
    let indent = JSONLayout.indentation(space)
    let newline = space.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
    return JSONLayout(indent: indent, margin: indent + indent, newline: newline)
  }

  /// Reads the text of one resource's value, with white space around it.
  mutating func readPart(_ name: String) throws(JSONError) -> (Resource, value: Range<Int>) {
    let start = try scanner.scanDocument().offset - text.offset
    defaultLayout = bytes.contains(UInt8(ascii: "\n")) ? JSONLayout(margin: "  ") : .compact
    let (resource, end) = try readResource(name, at: start)
    try check(name, resource, at: start, value: start)
    return (resource, start..<end)
  }

  /// - Throws: ``JSONError`` for the first fault of a resource.
  private mutating func check(_ name: String, _ resource: Resource, at offset: Int, value: Int) throws(JSONError) {
    if let fault = Unsuitable.faults(ofName: name, isFirst: names.insert(ByteExactKey(name)).inserted).first {
      throw unsuitable(fault, at: offset)
    }
    if name != Unsuitable.schemaName, case .unserved(let json) = resource {
      throw unsuitable(Unsuitable.fault(of: name, json.kind), at: value)
    }
  }

  private func unsuitable(_ message: String, at offset: Int) -> JSONError {
    scanner.error(.unsuitable, message, at: offset)
  }
}

extension Database {
  /// Reads a file's text.
  ///
  /// - Parameters:
  ///   - text: The text; the database keeps it and refers to it.
  ///   - schema: The names of ids and foreign keys.
  ///   - ids: Makes ids for records without one in 1.0's dialect.
  ///   - onRead: Called after about each MiB of records, with the number of bytes since the last call.
  /// - Throws: ``JSONError`` with the place of the first error.
  /// - Complexity: O(size of the text), at about 1 GB/s.
  package init(
    parsing text: UTF8Slice, schema: Schema = Schema(), ids: IDGenerator, onRead: (@Sendable (Int) -> Void)? = nil
  ) throws(JSONError) {
    defer { withExtendedLifetime(text) {} }
    var reader = DatabaseReader(text, schema: schema, onRead: onRead)
    var database = try reader.read()
    if schema.dialect == .v1, let quoted = text.quotingIDs(of: database.entries.compactMap(\.collection)) {
      defer { withExtendedLifetime(quoted) {} }
      reader = DatabaseReader(quoted, schema: schema)
      // The rows of the first reading leave their memory to those of the second.
      database.entries = PersistentArray()
      database = try reader.read()
    }
    database.assignStringIDs(ids)
    self = database
  }
}

extension Database {
  /// In 1.0's dialect, makes every id a string, and gives an id to each record without one, as json-server 1.0 does when
  /// it loads a file.
  ///
  /// The file keeps its text until the next write.
  mutating func assignStringIDs(_ ids: IDGenerator) {
    for position in entries.indices { assignStringIDs(at: position) { _ in ids() } }
  }

  /// Makes the ids of one resource's records strings; see ``assignStringIDs(_:)``.
  ///
  /// - Parameter makeID: Makes the id of a record without one from its slot.
  mutating func assignStringIDs(at position: Int, _ makeID: (_ slot: Int) -> String) {
    guard schema.dialect == .v1 else { return }
    change(position) { collection in
      for slot in 0..<collection.rows.slotCount {
        guard let row = collection.rows[slot], let named = collection.withStringID(row, { makeID(slot) }) else {
          continue
        }
        collection.set(named, at: slot)
      }
    }
  }
}

extension UTF8Slice {
  /// The text of a file with strings in place of numbers as ids; `nil` when no id is a number.
  ///
  /// All records stay in one text. One for each record would take more than twice the memory, and four times the time.
  ///
  /// - Parameter collections: The text's collections, in its order.
  /// - Complexity: O(size of the text).
  func quotingIDs(of collections: [RecordCollection]) -> UTF8Slice? {
    var growth = 0
    collections.forEachNumericID { _, id in growth += id.text.utf8.count + 2 - id.bytes.count }
    guard growth > 0 else { return nil }
    return UTF8Slice(
      withBytes { bytes in
        UTF8Buffer(capacity: bytes.count + growth) { output, count in
          func append(_ bytes: some Collection<UInt8>) {
            _ = output[count...].update(fromContentsOf: bytes)
            count += bytes.count
          }
          var copied = 0
          collections.forEachNumericID { start, id in
            append(bytes[copied..<(start - offset)])
            append("\"\(id.text)\"".utf8)
            copied = start - offset + id.bytes.count
          }
          append(bytes[copied...])
        }
      })
  }
}

extension Sequence<RecordCollection> {
  /// Calls a closure with each id that is a number, and its offset in its storage.
  fileprivate func forEachNumericID(_ body: (_ offset: Int, _ id: ValueToken) -> Void) {
    for collection in self {
      let idName = Array(collection.idName.utf8)
      collection.rows.forEach { _, row in
        row.withRecord { record in
          guard let id = record.member(idName), id.kind == .number else { return }
          body(row.record.offset + id.offset(in: record), id)
        }
      }
    }
  }
}

extension RecordCollection {
  /// A record with a string as its id; `nil` when it has a text id already, or is not an object.
  func withStringID(_ row: Row, _ makeID: () -> String) -> Row? {
    let text = row.withRecord { record -> String? in
      guard record.kind == .object else { return nil }
      guard let id = record.member(Array(idName.utf8)) else { return makeID() }
      return id.kind == .number ? id.text : nil
    }
    guard let text else { return nil }
    var draft = ObjectDraft()
    draft.set(idName, to: ValidJSON(writing: .string(text)))
    return Row(draft.merged(into: row.record, layout(of: row), row.margins), between: row.margins)
  }
}
