import OrderedJSON

/// Makes a database of a frame and rows.
package struct DatabaseAssembler {
  private let frame: DatabaseFrame
  private var text: [UInt8]
  /// The resource that rows are added to.
  private var position = -1
  /// The slots of each resource's rows.
  private var slots: [ContiguousArray<Int32>]

  /// - Parameter size: About how many bytes all rows have.
  package init(_ frame: DatabaseFrame, size: Int) {
    self.frame = frame
    text = []
    text.reserveCapacity(size + size / 16 + 4096)
    slots = Array(repeating: [], count: frame.resources.count)
    frame.prefix.withBytes { text += $0 }
  }

  /// Adds a row. Rows come by resource and slot, ascending; one of no resource is left out.
  package mutating func append(resource: Int, slot: Int, _ bytes: ArraySlice<UInt8>) {
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
  /// Under 1.0's dialect a record without an id gets one by its slot: every server that reads the rows finds the same.
  ///
  /// - Throws: ``LoadError`` when something is no resource or no JSON.
  /// - Complexity: O(size of the rows).
  package consuming func database(schema: Schema) throws(LoadError) -> Database {
    while position < frame.resources.count - 1 { openNext() }
    close()
    frame.suffix.withBytes { text += $0 }
    let slice = UTF8Slice(text)
    text = []
    var reader = DatabaseReader(slice, schema: schema)
    var database = try reader.read()
    for position in database.entries.indices {
      let slots = slots[position]
      // Without gaps a slot is the place among the rows.
      if let last = slots.last, Int(last) >= slots.count {
        database.entries[position].collection?.move(to: slots)
      }
      database.assignStringIDsBySlot(at: position)
    }
    return database
  }
}

extension RecordCollection {
  /// Gives the rows other slots, ascending. Before anything was found out about them.
  fileprivate mutating func move(to slots: ContiguousArray<Int32>) {
    var moved = PersistentRowVector()
    var next = slots.makeIterator()
    rows.forEach { _, row in
      if let slot = next.next() { moved[Int(slot)] = row }
      return true
    }
    replaceRows(moved)
  }
}
