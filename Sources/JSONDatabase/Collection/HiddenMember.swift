import OrderedJSON

/// A member of a collection's records that readers do not see, such as a password.
///
/// Keeps the collection as readers see it, and brings it up to date when the collection has changed.
package struct HiddenMember: Sendable {
  /// `nil` when nothing is hidden.
  fileprivate let resource: String?
  private let name: String
  /// The rows of which ``view`` was made.
  private var rows: PersistentRowVector?
  /// The collection without the member; while it is being read, the one with it.
  fileprivate var view: RecordCollection?

  /// - Parameters:
  ///   - name: The member's name.
  ///   - resource: The name of the collection.
  package init(_ name: String, of resource: String) {
    self.name = name
    self.resource = resource
  }

  /// Hides nothing.
  package static let nothing = HiddenMember()

  private init() {
    resource = nil
    name = ""
  }

  /// Whether the collection without the member has been made.
  package var isKnown: Bool { resource == nil || view != nil }

  /// Takes over what a copy has found out about the same records.
  package mutating func adopt(_ copy: inout HiddenMember) {
    guard let rows else { return swap(&self, &copy) }
    guard copy.rows?.isIdentical(to: rows) == true, let other = copy.view.take() else { return }
    view?.adopt(other)
  }

  /// Gives up all indexes, which are made again when a query needs one.
  package mutating func forgetIndexes() {
    view?.forgetIndexes()
  }

  /// - Complexity: O(records that changed + records / 64).
  fileprivate mutating func update(from collection: RecordCollection) {
    if let rows, rows.isIdentical(to: collection.rows) { return }
    let name = name
    let earlier = rows.flatMap { rows in view.map { (rows, $0.rows) } }
    view = collection.showing(collection.rows.mapped(reusing: earlier) { $0.removing(name) })
    rows = collection.rows
  }
}

extension Database {
  /// Passes a closure the database to read, with a collection in which a member is hidden: no filter, order, search or
  /// relation finds it, and no record shows it.
  package mutating func reading<Result, Failure: Error>(
    without member: inout HiddenMember, _ body: (inout Database) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let resource = member.resource, let position = positions[ByteExactKey(resource)],
      let collection = entries[position].collection
    else { return try body(&self) }
    member.update(from: collection)
    swap(&entries[position].collection, &member.view)
    defer { swap(&entries[position].collection, &member.view) }
    return try body(&self)
  }
}

extension Row {
  /// The row without the member of a name; its layout is lost.
  fileprivate func removing(_ name: String) -> Row {
    Row(record.removing(name), lead: 0, trail: 0)
  }
}
