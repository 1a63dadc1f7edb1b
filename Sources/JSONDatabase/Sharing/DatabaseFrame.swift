package import JSONServerValues

/// A database without its rows, for a store that stores rows separately.
package struct DatabaseFrame: Sendable {
  /// A resource without its content.
  package struct Resource: Sendable {
    package let name: String
    package let isCollection: Bool
    /// The text from the previous resource to the value; empty for a resource that was added elsewhere.
    package let lead: UTF8Slice
    /// The white space after the value.
    package let trail: UTF8Slice
    /// The white space before the closing bracket while there are records, and while there are none.
    package let tail: UTF8Slice
    package let emptyTail: UTF8Slice

    package init(
      name: String, isCollection: Bool, lead: UTF8Slice, trail: UTF8Slice, tail: UTF8Slice, emptyTail: UTF8Slice
    ) {
      self.name = name
      self.isCollection = isCollection
      self.lead = lead
      self.trail = trail
      self.tail = tail
      self.emptyTail = emptyTail
    }
  }

  /// The text before the first resource and after the last one.
  package let prefix: UTF8Slice
  package let suffix: UTF8Slice
  package let resources: [Resource]

  package init(prefix: UTF8Slice, suffix: UTF8Slice, resources: [Resource]) {
    self.prefix = prefix
    self.suffix = suffix
    self.resources = resources
  }
}

/// The content of one place of a database: a record of a collection, or a resource that is one value.
package struct PlacedRow: Sendable {
  /// The position of the resource.
  package let resource: Int
  /// The record's slot, which never changes; 0 for a value.
  package let slot: Int
  /// The JSON text with the white space around it; `nil` if the record was removed.
  package let text: UTF8Slice?

  package init(resource: Int, slot: Int, text: UTF8Slice?) {
    self.resource = resource
    self.slot = slot
    self.text = text
  }
}

extension Database {
  /// The database without its rows.
  package var frame: DatabaseFrame {
    DatabaseFrame(
      prefix: prefix, suffix: suffix,
      resources: entries.map { entry in
        DatabaseFrame.Resource(
          name: entry.name, isCollection: entry.collection != nil, lead: entry.lead, trail: entry.trail,
          tail: entry.collection?.tail ?? UTF8Slice(""), emptyTail: entry.collection?.emptyTail ?? UTF8Slice(""))
      })
  }

  /// All rows, by resource and slot. O(number of records).
  package var placedRows: [PlacedRow] {
    var placed: [PlacedRow] = []
    for position in entries.indices {
      switch entries[position].resource {
      case .collection(let collection):
        collection.rows.forEach { slot, row in
          placed.append(PlacedRow(resource: position, slot: slot, text: row.layoutText))
        }
      case .singular(let value), .unserved(let value):
        placed.append(PlacedRow(resource: position, slot: 0, text: value.slice))
      }
    }
    return placed
  }

  /// The content of the places in which another version differs.
  ///
  /// - Returns: `nil` when the versions differ in more than rows.
  /// - Complexity: O(number of resources + rows / 4096 + number of changes), about.
  package func placedRows(since base: Database) -> [PlacedRow]? {
    guard hasFrame(of: base) else { return nil }
    var placed = changes(since: base).map { change in
      PlacedRow(resource: change.position, slot: change.slot, text: change.after?.layoutText)
    }
    for position in changedPositions(since: base) {
      guard case .singular(let value) = entries[position].resource else { continue }
      placed.append(PlacedRow(resource: position, slot: 0, text: value.slice))
    }
    return placed
  }

  /// Whether another version has the same resources in the same text.
  private func hasFrame(of other: Database) -> Bool {
    entries.count == other.entries.count
      && zip(entries, other.entries).allSatisfy { mine, others in
        mine.lead == others.lead && mine.trail == others.trail && mine.isServed == others.isServed
          && (mine.collection == nil) == (others.collection == nil)
          && ByteExactKey(mine.name) == ByteExactKey(others.name)
      }
  }
}

/// Makes a database from a frame and rows.
package struct DatabaseAssembler {
  private let frame: DatabaseFrame
  private var text: [UInt8]
  /// The resource that rows are added to.
  private var position = -1
  /// The slots of each resource's rows.
  private var slots: [ContiguousArray<Int32>]

  /// - Parameter size: The approximate size of all rows in bytes.
  package init(_ frame: DatabaseFrame, size: Int) {
    self.frame = frame
    text = []
    text.reserveCapacity(size + size / 16 + 4096)
    slots = Array(repeating: [], count: frame.resources.count)
    frame.prefix.withBytes { text += $0 }
  }

  /// Adds a row. The rows must be in ascending order of resource and slot. A row without a resource is ignored.
  package mutating func append(resource: Int, slot: Int, _ bytes: some Collection<UInt8>) {
    guard slots.indices.contains(resource), resource >= position, (0..<Int(Int32.max)).contains(slot) else { return }
    // An object has one row, the first.
    guard frame.resources[resource].isCollection || slot == 0 else { return }
    while position < resource { openNext() }
    if !slots[resource].isEmpty { text.append(UInt8(ascii: ",")) }
    slots[resource].append(Int32(slot))
    text += bytes
  }

  private mutating func openNext() {
    close()
    position += 1
    let resource = frame.resources[position]
    if position > 0 { text.append(UInt8(ascii: ",")) }
    if resource.lead.count > 0 {
      resource.lead.withBytes { text += $0 }
    } else {
      text += "\n  ".utf8
      JSONText.appendEscaped(resource.name, to: &text)
      text += ": ".utf8
    }
    if resource.isCollection { text.append(UInt8(ascii: "[")) }
  }

  private mutating func close() {
    guard position >= 0 else { return }
    let resource = frame.resources[position]
    let isEmpty = slots[position].isEmpty
    if resource.isCollection {
      (isEmpty ? resource.emptyTail : resource.tail).withBytes { text += $0 }
      text.append(UInt8(ascii: "]"))
    } else if isEmpty {
      text += "{}".utf8
    }
    resource.trail.withBytes { text += $0 }
  }

  /// The database.
  ///
  /// In the dialect of 1.0 a record without an id gets one from its slot, so that all servers assign the same id.
  ///
  /// - Throws: ``JSONError`` when a text is not JSON or not a resource.
  /// - Complexity: O(size of the rows).
  package consuming func database(schema: Schema) throws(JSONError) -> Database {
    while position < frame.resources.count - 1 { openNext() }
    close()
    frame.suffix.withBytes { text += $0 }
    let slice = UTF8Slice(text)
    text = []
    var reader = DatabaseReader(slice, schema: schema)
    var database = try reader.read()
    for position in database.entries.indices {
      let slots = slots[position]
      // Without gaps a slot is the index of its row.
      if let last = slots.last, Int(last) >= slots.count {
        database.entries[position].collection?.move(to: slots)
      }
      database.assignStringIDs(at: position, Database.id(ofSlot:))
    }
    return database
  }
}

extension RecordCollection {
  /// Replaces the rows' slots, in ascending order, before any index is built.
  fileprivate mutating func move(to slots: ContiguousArray<Int32>) {
    var moved = PersistentRowVector()
    var next = slots.makeIterator()
    rows.forEach { _, row in
      if let slot = next.next() { moved[Int(slot)] = row }
    }
    replaceRows(moved)
  }
}
