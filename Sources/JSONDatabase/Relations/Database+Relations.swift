package import JSONServerValues

extension Database {
  /// Selects the records of a collection, and finds related records.
  ///
  /// Filters and sort keys may use members of expanded parents, such as `author.name` with `_expand=author`.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `invalidQuery`.
  package func list(
    _ name: String, _ query: Query
  ) throws(DatabaseError) -> (selection: Selection, related: RelatedRecords) {
    let dialect = schema.dialect
    let position = try position(of: name)
    let (trees, unknown) = try relationTrees(query.relations, from: position)
    let parents = query.leads(intoAny: trees) ? parentJoins(trees) : []
    let selection = try collection(at: position).select(query, parents: parents, dialect: dialect, patience)
    let isMany = !trees.isEmpty && selection.records.count > QueryPlan.quickRelations
    guard patience.allows(isMany) else { return (selection, .none) }
    let records = selection.records.lazy.prefix { _ in !patience.isOver }
    return (selection, try related(trees, unknown, to: records, RecordList(selection.records), at: position))
  }

  /// Finds the related records of a record.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource` or `invalidQuery`.
  package func related(
    _ requests: [RelationRequest], to record: ValidJSON, in name: String
  ) throws(DatabaseError) -> RelatedRecords {
    let position = try position(of: name)
    let (trees, unknown) = try relationTrees(requests, from: position)
    return try related(
      trees, unknown, to: CollectionOfOne(record), RecordList([RelatedRecord(record: record)]), at: position)
  }

  private func related(
    _ trees: [RelationTree], _ unknown: [RelationRequest], to records: some Sequence<ValidJSON>,
    _ plain: @autoclosure () -> RecordList, at position: Int
  ) throws(DatabaseError) -> RelatedRecords {
    guard !trees.isEmpty else {
      return RelatedRecords(records: plain(), hiddenNames: [], unknownRelations: unknown)
    }
    var embedding = Embedding()
    var related: [RelatedRecord] = []
    for record in records { related.append(try follow(trees, from: record, at: position, level: 0, &embedding)) }
    return RelatedRecords(
      records: RecordList(related), hiddenNames: embedding.hiddenNames.sorted(), unknownRelations: unknown)
  }

  /// The state while relations are followed.
  private struct Embedding {
    /// The largest number of records below the first level of relations: their number grows with each level.
    static let maximumCount = 100_000

    var hiddenNames: Set<String> = []
    var count = 0
    /// The foreign keys, found once for all records.
    var ids: [Int: IDHashTable] = [:]
    var children: [Int: [FieldPath: HashIndex]] = [:]
  }

  private func follow(
    _ trees: [RelationTree], from record: ValidJSON, at position: Int, level: Int, _ embedding: inout Embedding
  ) throws(DatabaseError) -> RelatedRecord {
    let idName = Array(entries[position].collection?.idName.utf8 ?? schema.idName.utf8)
    var values: [(name: String, value: ValidJSON.AddedValue)] = []
    for tree in trees {
      guard tree.replacesKey || record.member(Array(tree.name.utf8)) == nil else {
        embedding.hiddenNames.insert(tree.name)
        continue
      }
      guard var found = find(tree.relation, from: record, idName: idName, &embedding) else { continue }
      if let target = tree.relation.target, !tree.branches.isEmpty {
        found.records = try found.records.map { record throws(DatabaseError) in
          try follow(tree.branches, from: record, at: target, level: level + 1, &embedding).joined
        }
      }
      // A list of ids can repeat a record in many others, while a parent is added once to each of its children.
      let isRepeated = if case .parent = tree.relation { found.isList } else { false }
      if level > 0 || isRepeated {
        embedding.count += found.records.count
        guard embedding.count <= Embedding.maximumCount else {
          throw DatabaseError(
            .invalidQuery,
            "The response would embed more than \(Embedding.maximumCount) records; ask for a page."
          )
        }
      }
      values.append(
        (tree.name, found.isList ? .many(found.records) : found.records.first.map { .one($0) } ?? .many([])))
    }
    return RelatedRecord(record: record, related: values)
  }

  /// The related records of a record; `nil` for a parent that does not exist.
  private func find(
    _ relation: Relation, from record: ValidJSON, idName: [UInt8], _ embedding: inout Embedding
  ) -> (records: [ValidJSON], isList: Bool)? {
    switch relation {
    case .nothing: return ([], true)
    case .children(let position, let key):
      guard let id = record.withToken({ $0.member(idName)?.text }), let collection = entries[position].collection,
        let index = embedding.children[position]?[key] ?? collection.equality(of: key, patience)
      else { return ([], true) }
      embedding.children[position, default: [:]][key] = index
      let slots = index.slots(equalTo: id)
      let rows = collection.rows
      guard
        patience.allows(rows.isLarge && slots.count > min(QueryPlan.quickRelations, QueryPlan.quickMatches(of: rows)))
      else {
        return ([], true)
      }
      return (slots.compactMap { rows[Int($0)]?.record }, true)
    case .parent(let position, let key, let isList):
      guard let collection = entries[position].collection,
        let ids = embedding.ids[position] ?? collection.ids(patience)
      else { return nil }
      embedding.ids[position] = ids
      return record.withToken { record -> (records: [ValidJSON], isList: Bool)? in
        let value = key.value(in: record)
        if let elements = value.flatMap(ArrayReader.init) {
          let found = elements.lazy.compactMap(\.recordID).compactMap { ids.row(of: $0, in: collection.rows)?.record }
          let records = Array(found.prefix(Embedding.maximumCount + 1))
          return (patience.allows(records.count > QueryPlan.quickRelations) ? records : [], true)
        }
        let id = value.flatMap { $0.isNull ? nil : $0.text }
        let row = id.flatMap { ids.row(of: $0, in: collection.rows) }
        return row.map { ([$0.record], isList) } ?? (isList ? ([], true) : nil)
      }
    }
  }
}

extension Database {
  /// Finds the relations with some names; skips and returns unknown names.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` for a name with too many levels.
  func relationTrees(
    _ requests: [RelationRequest], from position: Int
  ) throws(DatabaseError) -> (trees: [RelationTree], unknown: [RelationRequest]) {
    var trees: [RelationTree] = []
    var unknown: [RelationRequest] = []
    for request in requests {
      let isKnown = plant(try levels(of: request)[...], request.kind, from: position, &trees)
      if !isKnown { unknown.append(request) }
    }
    return (trees, unknown)
  }

  private func levels(of request: RelationRequest) throws(DatabaseError) -> [String] {
    let name = request.name
    // A collection's name may contain a dot.
    guard name.utf8.contains(UInt8(ascii: ".")), collectionPosition(name) == nil, parentsPosition(name) == nil else {
      return [name]
    }
    let levels = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard levels.count <= RelationRequest.maximumLevels else {
      throw DatabaseError(
        .invalidQuery, "'\(name)' has \(levels.count) levels; at most \(RelationRequest.maximumLevels) are allowed.")
    }
    return levels
  }

  /// - Returns: Whether all levels are relations.
  private func plant(
    _ levels: ArraySlice<String>, _ kind: RelationRequest.Kind, from position: Int, _ trees: inout [RelationTree]
  ) -> Bool {
    guard let name = levels.first else { return true }
    let index: Int
    if let known = trees.firstIndex(where: { $0.name == name }) {
      index = known
    } else {
      guard let relation = relation(kind, name, from: position) else { return false }
      index = trees.count
      trees.append(RelationTree(name: name, relation: relation))
    }
    guard let target = trees[index].relation.target else { return false }
    return plant(levels.dropFirst(), kind, from: target, &trees[index].branches)
  }

  /// Finds the relation with a name; `nil` when the request is ignored.
  private func relation(_ kind: RelationRequest.Kind, _ name: String, from own: Int) -> Relation? {
    let children = collectionPosition(name)
    let singular = Inflection.singular(of: name, schema.dialect)
    let parents = parentsPosition(name) ?? children
    let parentKey = parents.map { foreignKey(in: own, to: entries[$0].name, singular: singular) }
    let isSingularName = singular == name
    // The name of a collection means the lists of its ids.
    let lists: Relation? = children.flatMap { position in
      existingForeignKeys(in: own, to: name, singular: singular).first { holdsLists($0, in: own) }.map { key in
        .parent(position: position, key: key, isList: true)
      }
    }
    switch kind {
    case .expand:
      guard let parents, let parentKey else { return nil }
      return lists ?? .parent(position: parents, key: parentKey, isList: false)
    case .embed:
      if let children {
        let existing = existingForeignKeys(in: children, to: entries[own].name).first
        if let lists, existing.map({ holdsLists($0, in: children) }) ?? true { return lists }
        let key = foreignKey(in: children, to: entries[own].name, singular: nil)
        // A name that is singular and plural, such as `equipment`, means a parent if the only key is to one.
        let isAmbiguous = isSingularName && parents == children
        let prefersParent = schema.dialect == .v1 || !hasMember(key, in: children)
        if !(isAmbiguous && prefersParent && hasMember(parentKey, in: own)) {
          return .children(position: children, key: key)
        }
      }
      if let parents, let parentKey { return .parent(position: parents, key: parentKey, isList: false) }
      return schema.dialect == .classic ? .nothing : nil
    }
  }

  /// A resource that a request reads: the number of levels at which its records are embedded, and for children the
  /// member with the id of the record that they are embedded in.
  package typealias ReadResource = (name: String, level: Int, key: FieldPath?)

  /// The resources of related records, each with its level, from 1.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource` or `invalidQuery`.
  package func resources(
    readBy requests: [RelationRequest], in name: String
  ) throws(DatabaseError) -> [ReadResource] {
    var found: [ReadResource] = []
    var trees = try relationTrees(requests, from: try position(of: name)).trees
    var level = 1
    while !trees.isEmpty {
      for relation in trees.map(\.relation) {
        if let target = relation.target { found.append((entries[target].name, level, relation.childKey)) }
      }
      trees = trees.flatMap(\.branches)
      level += 1
    }
    return found
  }

  /// Whether some record of a collection has a member.
  private func hasMember(_ key: FieldPath?, in position: Int) -> Bool {
    key.map { entries[position].collection?.hasMember(named: $0.name, patience) ?? false } ?? false
  }

  /// The collection with a name as its singular; of `octopi` and `octopuses` the one that exists.
  private func parentsPosition(_ name: String) -> Int? {
    collectionPosition(Inflection.plural(of: name, schema.dialect))
      ?? collectionPositions.first {
        entries[$0].name != name && Inflection.singular(of: entries[$0].name, schema.dialect) == name
      }
  }

  /// The expanded parents.
  private func parentJoins(_ trees: [RelationTree]) -> [ParentJoin] {
    var joins: [ParentJoin] = []
    addJoins(trees, below: ParentJoin(names: [], steps: []), to: &joins)
    return joins
  }

  private func addJoins(_ trees: [RelationTree], below join: ParentJoin, to joins: inout [ParentJoin]) {
    for tree in trees {
      guard case .parent(let position, let key, _) = tree.relation else { continue }
      guard let parents = entries[position].collection, let ids = parents.ids(patience) else { continue }
      let next = ParentJoin(
        names: join.names + [tree.name], steps: join.steps + [ParentJoin.Step(key: key, parents: parents, ids: ids)])
      joins.append(next)
      addJoins(tree.branches, below: next, to: &joins)
    }
  }
}

extension Query {
  /// Whether a filter or a sort key may use members of related records.
  fileprivate func leads(intoAny trees: [RelationTree]) -> Bool {
    if trees.isEmpty { return false }
    let names = criteria.parameters.map(\.name) + sort.map(\.path.name)
    return criteria.conditions != nil
      || trees.contains { tree in names.contains { FieldPath($0).below(tree.name) != nil } }
  }
}
