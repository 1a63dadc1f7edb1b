import OrderedJSON

// Large reads happen on other threads, each on a copy of the database; see the guide to performance.

extension Database {
  /// Whether a collection can be listed without reading many records: it is small, or what the query needs is indexed.
  ///
  /// Finds nothing out on the way; in doubt the answer is no. O(number of parameters), about.
  package mutating func isQuick(_ query: Query, in name: String) -> Bool {
    guard let position = collectionPosition(name) else { return true }
    guard let count = quickCount(of: query, at: position) else { return false }
    guard !query.relations.isEmpty else { return true }
    let names = query.parameters.map(\.name) + query.sort.map(\.path.name)
    // What leads into parents is not indexed.
    guard query.conditions == nil, !names.contains(where: { $0.utf8.contains(UInt8(ascii: ".")) }) else { return false }
    return query.window.range(of: count).count <= Self.quickRelations && isQuick(query.relations, at: position)
  }

  /// How many records a query selects at most; `nil` when they are not found without reading many.
  mutating func quickCount(of query: Query, at position: Int) -> Int? {
    var count: Int?
    let dialect = schema.dialect
    change(position) { count = $0.isLarge ? $0.quickCount(of: query, dialect) : $0.count }
    return count
  }

  /// The most records to which related ones are added, and that are added to one, without a second thought.
  private static let quickRelations = 500

  /// Whether all of a large collection has to be brought into the order that a query asks for.
  package func lacksOrder(of query: Query, in name: String) -> Bool {
    guard let position = collectionPosition(name), let collection = entries[position].collection else { return false }
    let isOfAll = query.parameters.isEmpty && query.search.isEmpty && query.conditions == nil
    return isOfAll && !query.sort.isEmpty && collection.isLarge && !collection.fields.hasOrder(by: query.sort)
      && !collection.fields.unordered.contains(query.sort)
  }

  /// Whether a record can be found, and joined with what is related to it, without reading many.
  package mutating func isQuick(_ relations: [RelationRequest], of id: String, in name: String) -> Bool {
    guard let position = collectionPosition(name) else { return true }
    if entries[position].collection?.hasIDs == false, isLarge(at: position) { return false }
    return relations.isEmpty || isQuick(relations, at: position, of: id)
  }

  /// - Parameter id: The id of the only record, where there is one.
  private mutating func isQuick(_ relations: [RelationRequest], at position: Int, of id: String? = nil) -> Bool {
    // Which way a name leads is found out by the members of the collections.
    guard !entries.contains(where: { $0.collection.map { $0.isLarge && !$0.hasMembers } ?? false }) else {
      return false
    }
    guard let trees = try? relationTrees(relations, from: position).trees else { return true }
    return trees.allSatisfy { isQuick($0) } && (id.map { hasFewChildren($0, trees) } ?? true)
  }

  /// Whether few records refer to one, once they are indexed.
  private mutating func hasFewChildren(_ id: String, _ trees: [RelationTree]) -> Bool {
    var count = 0
    for tree in trees {
      guard case .children(let position, let key) = tree.relation, isLarge(at: position) else { continue }
      change(position) { collection in
        let children = collection.slots(where: key, equals: id).count
        count += children <= collection.quickMatches ? children : Self.quickRelations + 1
      }
    }
    return count <= Self.quickRelations
  }

  private func isQuick(_ tree: RelationTree) -> Bool {
    let isFound =
      switch tree.relation {
      case .nothing: true
      case .children(let position, let key):
        entries[position].collection.map { !$0.isLarge || $0.hasSlots(where: key) } ?? true
      case .parent(let position, _): entries[position].collection.map { !$0.isLarge || $0.hasIDs } ?? true
      }
    return isFound && tree.branches.allSatisfy { isQuick($0) }
  }

  /// Whether it is known which of some paths lead to a value in some record, or found out soon.
  package func knows(_ paths: [FieldPath], in name: String) -> Bool {
    guard !paths.isEmpty, let position = collectionPosition(name), let collection = entries[position].collection else {
      return true
    }
    return !collection.isLarge || paths.allSatisfy { collection.fields.knowledge(of: $0) != nil }
  }

  /// Whether reading all of a resource takes noticeably long, by its position.
  package func isLarge(at position: Int) -> Bool {
    entries.indices.contains(position) && entries[position].collection?.isLarge ?? false
  }

  /// Whether the data is so little that all of it can be read at once. O(number of collections).
  package var isSmall: Bool {
    entries.count <= Self.mostShared && !entries.contains { $0.collection?.isLarge ?? false }
  }

  /// A copy to be read on another thread while this one changes.
  ///
  /// It has the indexes that a query needs, and none that a change of this one would have to copy as a whole.
  ///
  /// - Parameter query: The query; `nil` keeps all of them.
  package func copy(for query: Query?) -> Database {
    var copy = self
    copy.changes = UndoLog()
    guard let query, query.relations.isEmpty, entries.count <= Self.mostShared else { return copy }
    let needed = query.parameters.map(\.name) + [query.parent?.key.name, query.owner?.key.name].compactMap(\.self)
    for position in copy.collectionPositions {
      copy.change(position) { $0.forgetEquality { path in needed.contains { $0.hasPrefix(path.name) } } }
    }
    return copy
  }

  /// The most resources whose indexes are shared.
  static let mostShared = 200

  /// Whether ids and members of some large collection were not read yet.
  package var hasUnreadCollections: Bool {
    entries.count <= Self.mostShared
      && entries.contains { entry in
        entry.collection.map { $0.isLarge && !($0.hasReadIDs(schema.dialect) && $0.hasMembers) } ?? false
      }
  }

  /// Reads the ids and the members of large collections. O(size of the data).
  package mutating func readLargeCollections() {
    let dialect = schema.dialect
    for position in collectionPositions {
      change(position) { collection in
        guard collection.isLarge else { return }
        collection.readIDs(dialect)
        collection.indexMembers()
      }
    }
  }

  /// Takes over what was found out about a copy, brought up to date with what was written since.
  ///
  /// - Parameter copy: The copy, of which nothing is left: what it alone has is changed in place.
  package mutating func adopt(_ copy: inout Database) {
    // With so many resources, looking at each costs more than what is found out about one.
    guard entries.count <= Self.mostShared else { return }
    var copies: [ByteExactKey: RecordCollection] = [:]
    for position in copy.collectionPositions {
      copies[ByteExactKey(copy.entries[position].name)] = copy.entries[position].collection
    }
    copy.entries = []
    for position in collectionPositions {
      guard let other = copies.removeValue(forKey: ByteExactKey(entries[position].name)) else { continue }
      change(position) { $0.adopt(other) }
    }
  }
}

extension RecordCollection {
  /// How many records a query selects at most; `nil` when they are not found without reading many.
  fileprivate mutating func quickCount(of query: Query, _ dialect: Dialect) -> Int? {
    guard query.conditions == nil else { return nil }
    guard var left = quickCount(below: query.parent, of: query.owner),
      let conditions = conditions(of: query, dialect)
    else { return nil }
    // Of so few no index is asked.
    let isOfFew = left <= fewMatches
    for condition in conditions where condition.isEquality && !isOfFew {
      guard hasSlots(where: condition.path) else { return nil }
      left = min(left, equalCount(condition))
    }
    var isRead = !query.search.isEmpty
    for condition in conditions {
      if !condition.isByOrder {
        isRead = isRead || !condition.isEquality || !condition.isSettledByIndex
      } else if left > fewMatches {
        guard let isSettled = fields.settles(condition) else { return nil }
        isRead = isRead || !isSettled
      }
    }
    if isRead, left > quickMatches { return nil }
    return isSorted(left, by: query.sort) ? left : nil
  }

  /// How many records belong to a parent and an owner at most; `nil` when they are not found without reading many.
  private mutating func quickCount(
    below parent: (resource: String, key: FieldPath, id: String)?, of owner: (key: FieldPath, id: String)?
  ) -> Int? {
    var left = count
    if let parent {
      guard hasSlots(where: parent.key) else { return nil }
      left = slots(where: parent.key, equals: parent.id).count
    }
    if let owner {
      guard hasSlots(where: owner.key) else { return nil }
      let own = slots(where: owner.key, equals: owner.id).count
      // Whether they belong to somebody else as well is in each of them.
      guard own <= quickMatches else { return nil }
      left = min(left, own)
    }
    return left
  }

  /// How many records an index of equal values finds at most.
  private mutating func equalCount(_ condition: Condition) -> Int {
    var sum = 0
    for operand in condition.operands {
      sum += slots(where: condition.path, equals: operand.string).count
      if operand.isNull { sum += nullSlots(of: condition.path).count }
    }
    return sum
  }

  /// Whether records that match are brought into order without reading many, or making an order of all.
  private func isSorted(_ matching: Int, by keys: [SortKey]) -> Bool {
    if keys.isEmpty { return true }
    guard keys.allSatisfy({ fields.knowledge(of: $0.path) != nil }) else { return false }
    if matching > sortedMatches, fields.hasOrder(by: keys) { return true }
    return matching <= quickMatches && (matching <= sortedMatches || fields.unordered.contains(keys))
  }

  /// The conditions that a query's parameters express; `nil` when it would have to be found out which.
  private func conditions(of query: Query, _ dialect: Dialect) -> [Condition]? {
    guard !query.parameters.isEmpty else { return [] }
    var isKnown = true
    var filter = Filter()
    // What is wrong with them is said by whoever carries the query out.
    _ = try? filter.add(query.parameters, parents: [], dialect: dialect) { path in
      let knowledge = fields.knowledge(of: path)
      if knowledge == nil { isKnown = false }
      return knowledge ?? true
    }
    guard isKnown else { return nil }
    return Filter.flattened(filter.nodes).compactMap {
      if case .condition(let condition) = $0 { condition } else { nil }
    }
  }
}
