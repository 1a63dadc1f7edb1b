package import JSONServerValues

/// One top-level member of the file.
package enum Resource: Sendable {
  /// An array: records by id.
  case collection(RecordCollection)
  /// An object: one record without id.
  case singular(ValidJSON)
  /// A member of the file that is not served, such as `$schema`.
  case unserved(ValidJSON)
}

extension Resource {
  /// The resource as a tree. O(size of the resource).
  package var value: JSONValue {
    switch self {
    case .collection(let collection): .array(collection.firstRecords(collection.count).map { JSONValue($0) })
    case .singular(let value), .unserved(let value): JSONValue(value)
    }
  }
}

/// A resource and the text around its value in the file.
struct ResourceEntry: Sendable {
  let name: String
  /// The text from the last comma or brace to the value: white space, the name, the colon.
  let lead: UTF8Slice
  /// The white space after the value.
  var trail: UTF8Slice

  /// The records, if it is a collection.
  ///
  /// Not in a case of ``Resource``, since reading a case makes a copy: finding a record took over twice as long.
  var collection: RecordCollection?
  /// The text of a resource that is not a collection.
  private(set) var text = ValidJSON.null
  /// Whether it is served, and not only kept in the file.
  private(set) var isServed = true
  /// What a check compares new and changed values with: the data as it was read; `nil` for a resource that was added
  /// later, and where nothing is checked.
  private(set) var example: MemberExample?

  init(name: String, lead: UTF8Slice, resource: Resource, trail: UTF8Slice) {
    self.name = name
    self.lead = lead
    self.trail = trail
    self.resource = resource
  }

  /// A collection of some elements without the text around them.
  init(_ name: String, elements: [ValidJSON], schema: Schema) {
    var rows = PersistentRowVector()
    for element in elements { rows.append(Row(element)) }
    let collection = RecordCollection(
      name: name, idName: schema.idName(of: name), rows: rows, tail: UTF8Slice(""), defaultLayout: .compact,
      lineage: Lineage())
    self.init(name: name, lead: UTF8Slice(""), resource: .collection(collection), trail: UTF8Slice(""))
  }

  /// Makes the present data the example of checks.
  mutating func keepExample() {
    example =
      if let collection {
        collection.example(.endless)
      } else {
        isServed ? MemberExample(members: MemberSummary(of: text), count: 1) : nil
      }
  }

  var resource: Resource {
    get {
      if let collection { return .collection(collection) }
      return isServed ? .singular(text) : .unserved(text)
    }
    set {
      collection = nil
      isServed = true
      switch newValue {
      case .collection(let collection): self.collection = collection
      case .singular(let text): self.text = text
      case .unserved(let text):
        self.text = text
        isServed = false
      }
    }
  }
}
