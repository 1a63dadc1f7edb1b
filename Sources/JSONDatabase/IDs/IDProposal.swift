import JSONServerValues

extension Schema {
  /// The member that the records of a collection have in place of an id; `nil` when one of them has an id, or when the
  /// records have no such member, with a value of its own in each record.
  ///
  /// The candidates are the usual names, and the collection's own key, such as `carId` in `cars`.
  ///
  /// - Complexity: O(*n*); O(1) when the first record has an id.
  func idProposal<Records: Sequence<ValidJSON>>(of resource: String, _ records: Records) -> String? {
    let id = Array(idName(of: resource).utf8)
    var candidates: [(name: String, values: Set<ByteExactKey>)] = []
    var count = 0
    for record in records {
      guard record.kind == .object, record.member(id) == nil else { return nil }
      if count == 0 { candidates = (["_id", "uuid", "key"] + foreignKeys(to: resource)).map { ($0, []) } }
      count += 1
      for index in candidates.indices {
        if let text = record.recordID(in: candidates[index].name) {
          candidates[index].values.insert(ByteExactKey(text))
        }
      }
      candidates.removeAll { $0.values.count < count }
      guard !candidates.isEmpty else { return nil }
    }
    return candidates.first?.name
  }

  /// The setting with which a member holds the ids.
  func idAdvice(_ member: String, of resource: String) -> String {
    """
    all have '\(member)': start the server with Server.Configuration.idName for \(member), or, for this resource alone, \
    Server.Configuration.idNames for \(resource)=\(member)
    """
  }
}

extension Database {
  /// A sentence for each collection whose records have no id, but another member in its place.
  ///
  /// - Complexity: O(*n*) for *n* records of such collections; O(1) for a collection whose first record has an id.
  package var idWarnings: [String] {
    collectionPositions.compactMap { position in
      let name = entries[position].name
      guard let member = idProposal(at: position) else { return nil }
      return "No record of '\(name)' has an '\(schema.idName(of: name))'; \(schema.idAdvice(member, of: name))."
    }
  }

  /// - Parameter limit: The number of records that are read.
  func idProposal(at position: Int, limit: Int = .max) -> String? {
    guard let collection = entries[position].collection else { return nil }
    return schema.idProposal(of: entries[position].name, SelectedRecords(collection.rows).prefix(limit))
  }

  /// The first id that differs from another by letter case alone; `nil` when none of the first records has such an id.
  private func idInOtherCase(_ id: String, in name: String) -> String? {
    guard id.contains(where: \.isLetter), let collection = try? collection(name) else { return nil }
    let folded = id.lowercased()
    return SelectedRecords(collection.rows).prefix(Self.maximumSuggestions).lazy
      .compactMap { $0.recordID(in: collection.idName) }.first { $0.lowercased() == folded }
  }

  /// The error for a record that does not exist; says which member has the ids, if it is another one, or which id differs by
  /// letter case alone.
  func unknownRecord(_ id: String, in name: String) -> DatabaseError {
    let member = (try? position(of: name)).flatMap { idProposal(at: $0, limit: 20) }
    let advice = member.map { ": no record has an '\(schema.idName(of: name))', but \(schema.idAdvice($0, of: name))" }
    let similar = idInOtherCase(id, in: name).map { ", but with id \($0): letter case counts" }
    return DatabaseError(.unknownRecord, "\(name) has no record with id \(id)\(advice ?? similar ?? "").")
  }
}
