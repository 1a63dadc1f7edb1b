package import OrderedJSON

extension Database {
  /// Selects the records of a collection and finds what is related to them.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `invalidQuery`.
  package mutating func list(
    _ name: String, _ query: Query
  ) throws(DatabaseError) -> (selection: Selection, records: [RelatedRecord]) {
    let dialect = schema.dialect
    let selection = try withCollection(name) { collection throws(DatabaseError) in
      try collection.select(query, dialect: dialect)
    }
    return (selection, try related(query.relations, to: selection.records, in: name))
  }

  /// Finds what is related to records of a collection.
  package mutating func related(
    _ requests: [RelationRequest], to records: [ValidJSON], in name: String
  ) throws(DatabaseError) -> [RelatedRecord] {
    guard !requests.isEmpty else { return records.map { RelatedRecord(record: $0) } }
    var relations: [(name: String, relation: Relation)] = []
    for request in requests {
      guard let relation = try relation(request, from: name),
        !relations.contains(where: { $0.name == request.name })
      else { continue }
      relations.append((request.name, relation))
    }
    let idName = Array(schema.idName(of: name).utf8)
    return records.map { record in
      var values: [(name: String, value: ValidJSON.AddedValue)] = []
      for (name, relation) in relations {
        if let value = follow(relation, from: record, idName: idName) { values.append((name, value)) }
      }
      return RelatedRecord(record: record, related: values)
    }
  }

  private mutating func follow(_ relation: Relation, from record: ValidJSON, idName: [UInt8]) -> ValidJSON.AddedValue? {
    switch relation {
    case .nothing: return .many([])
    case .children(let position, let key):
      guard let id = record.withToken({ $0.member(idName)?.idText }) else { return .many([]) }
      var children: [ValidJSON] = []
      change(position) { collection in
        children = collection.slots(where: key, equals: id).compactMap { collection.rows[Int($0)]?.record }
      }
      return .many(children)
    case .parent(let position, let key):
      let id = record.withToken { record in key.value(in: record).flatMap { $0.isNull ? nil : $0.idText } }
      guard let id else { return nil }
      var parent: ValidJSON?
      change(position) { collection in
        parent = collection.slot(of: id).flatMap { collection.rows[$0]?.record }
      }
      return parent.map { .one($0) }
    }
  }

  /// Finds out what a name means for a collection; `nil` when the request is ignored.
  private mutating func relation(_ request: RelationRequest, from name: String) throws(DatabaseError) -> Relation? {
    let own = try position(of: name)
    let children = collectionPosition(request.name)
    let singular = Inflection.singular(of: request.name)
    let parents = parentsPosition(request.name) ?? children
    let parentKey = parents.map { foreignKey(in: own, to: entries[$0].name, singular: singular) }
    let isSingularName = singular == request.name
    switch request.kind {
    case .expand:
      guard let parents, let parentKey else { return nil }
      return .parent(position: parents, key: parentKey)
    case .embed:
      if let children {
        let key = foreignKey(in: children, to: name, singular: nil)
        // A name that is singular and plural at once, such as `equipment`, leads to a parent where the only key is to
        // one.
        let isAmbiguous = isSingularName && parents == children
        let prefersParent = schema.dialect == .v1 || !hasMember(key, in: children)
        if !(isAmbiguous && prefersParent && hasMember(parentKey, in: own)) {
          return .children(position: children, key: key)
        }
      }
      if let parents, let parentKey { return .parent(position: parents, key: parentKey) }
      return schema.dialect == .classic ? .nothing : nil
    }
  }

  /// The resource whose records a request puts into those of a collection; `nil` when it puts none there.
  package mutating func resource(
    readBy request: RelationRequest, in name: String
  ) throws(DatabaseError) -> String? {
    switch try relation(request, from: name) {
    case .children(let position, _)?, .parent(let position, _)?: entries[position].name
    case .nothing?, nil: nil
    }
  }

  /// Whether some record of a collection has a member.
  private mutating func hasMember(_ path: FieldPath?, in position: Int) -> Bool {
    var isFound = false
    change(position) { collection in isFound = path.map { collection.hasMember($0) } ?? false }
    return isFound
  }

  private func collectionPosition(_ name: String) -> Int? {
    positions[ByteExactKey(name)].flatMap { entries[$0].collection == nil ? nil : $0 }
  }

  /// The collection of which a name is the singular; of `octopi` and `octopuses` the one that exists.
  private func parentsPosition(_ name: String) -> Int? {
    collectionPosition(Inflection.plural(of: name))
      ?? collectionPositions.first { entries[$0].name != name && Inflection.singular(of: entries[$0].name) == name }
  }

  /// The member by which a collection's records refer to those of another, by the collections' names.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`.
  package mutating func foreignKey(in name: String, to parent: String) throws(DatabaseError) -> FieldPath {
    foreignKey(in: try position(of: name), to: parent, singular: nil)
  }

  /// The member by which a collection's records refer to those of another.
  ///
  /// The configured spelling first; else, where no record has that, the spellings of other tools: `post_id`, and for a
  /// resource with an id property of its own that property (`emp_no`).
  mutating func foreignKey(in position: Int, to parent: String, singular: String?) -> FieldPath {
    let candidates = foreignKeys(in: position, to: parent, singular: singular)
    var found: FieldPath?
    change(position) { collection in found = candidates.first { collection.hasMember($0) } }
    return found ?? candidates[0]
  }

  /// The members that may be the foreign key, the likeliest first.
  private func foreignKeys(in position: Int, to parent: String, singular: String?) -> [FieldPath] {
    let singular = singular ?? Inflection.singular(of: parent)
    let spellings = foreignKeySpellings(singular).map { FieldPath($0) }
    let parentID = schema.idName(of: parent)
    return parentID == schema.idName(of: entries[position].name) ? spellings : spellings + [FieldPath(parentID)]
  }

  /// The members by which records of one collection refer to those of another, as far as the first records show.
  ///
  /// - Parameter recordCount: How many records of each collection are read: a response waits for this.
  /// - Complexity: O(number of collections + number of records read + number of relations).
  package func relations(inFirst recordCount: Int) -> [(parent: String, child: String, key: String)] {
    let children = Children(of: self, inFirst: recordCount)
    return collectionPositions.flatMap { parent in
      let name = entries[parent].name
      return children.keys(to: parent, spellings: foreignKeySpellings(Inflection.singular(of: name)), in: self)
        .map { (name, entries[$0].name, $1) }
    }
  }

  /// The names of a foreign key to a resource, the likeliest first.
  private func foreignKeySpellings(_ singular: String) -> [String] {
    [schema.foreignKeySuffix, "Id", "_id"].map { singular + $0 }
  }
}

/// The collections by the members that their first records have.
private struct Children {
  private var withMember: [ByteExactKey: [Int]] = [:]
  /// Those of which the member is not the records' own id.
  private var withOtherID: [ByteExactKey: [Int]] = [:]

  init(of database: Database, inFirst recordCount: Int) {
    for position in database.collectionPositions {
      guard let collection = database.entries[position].collection else { continue }
      for name in collection.memberNames(inFirst: recordCount) {
        withMember[ByteExactKey(name), default: []].append(position)
        if name != collection.idName { withOtherID[ByteExactKey(name), default: []].append(position) }
      }
    }
  }

  /// The collections whose records refer to those of another, in the file's order, each with the likeliest key.
  func keys(to parent: Int, spellings: [String], in database: Database) -> [(child: Int, key: String)] {
    var keys: [Int: String] = [:]
    func add(_ name: String, _ children: [Int]?) {
      for child in children ?? [] where child != parent && keys[child] == nil { keys[child] = name }
    }
    for name in spellings { add(name, withMember[ByteExactKey(name)]) }
    let idName = database.schema.idName(of: database.entries[parent].name)
    add(idName, withOtherID[ByteExactKey(idName)])
    return keys.sorted { $0.key < $1.key }.map { (child: $0.key, key: $0.value) }
  }
}
