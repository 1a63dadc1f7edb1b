package import JSONServerValues

/// How the records of one collection lead to those of another.
enum Relation {
  /// The records of a collection whose key holds this record's id.
  case children(position: Int, key: FieldPath)
  /// The record of a collection whose id this record's key holds, or the records of a list of ids; where lists are meant,
  /// also of one id or none.
  case parent(position: Int, key: FieldPath, isList: Bool)
  /// Nothing of that name: an empty list.
  case nothing

  /// The collection that it leads to.
  var target: Int? {
    switch self {
    case .children(let position, _), .parent(let position, _, _): position
    case .nothing: nil
    }
  }
}

/// A relation to follow, and those to follow from where it leads.
struct RelationTree {
  /// The name under which the related records are put.
  let name: String
  let relation: Relation
  var branches: [RelationTree] = []

  /// Whether the related records take the place of the ids that lead to them.
  var replacesKey: Bool {
    if case .parent(_, let key, _) = relation { key.name == name } else { false }
  }
}

/// A request for related records inside each record of a response.
package struct RelationRequest: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// `_embed`: the records that refer to this one, or, under a singular name, the one it refers to.
    case embed
    /// `_expand`: the record that this one refers to.
    case expand
  }

  /// The most levels that a request may lead.
  static let maximumLevels = 4

  package let kind: Kind
  /// The name under which the related records are put; dots lead on from there, as in `posts.comments`.
  package let name: String

  package init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }
}

/// A record together with the related records that were asked for.
package struct RelatedRecord: Sendable {
  package let record: ValidJSON
  /// The names and values to add, in order; each takes the place of a member of that name.
  package let related: [(name: String, value: ValidJSON.AddedValue)]
  /// The members that are shown of the record and of related ones; `nil` for all.
  package var selection: FieldSelection?

  /// Joins a record with what is related to it.
  package init(record: ValidJSON, related: [(name: String, value: ValidJSON.AddedValue)] = []) {
    self.record = record
    self.related = related
  }

  /// The record with what is related to it as one value.
  package var joined: ValidJSON {
    let whole = record.withToken { related.isEmpty || $0.kind != .object ? record : ValidJSON($0, adding: related) }
    return selection?.of(whole) ?? whole
  }

  /// Appends the record, with what is related to it, as JSON text.
  ///
  /// - Parameters:
  ///   - formatter: How to lay it out.
  ///   - level: The number of levels around the record.
  package func append(to output: inout [UInt8], _ formatter: JSONFormatter, level: Int) {
    formatter.append(joined, level: level, to: &output)
  }
}

/// Records together with what is related to them.
package struct RelatedRecords: Sendable {
  package let records: RecordList
  /// The names of relations that were not put into records which have a member of that name.
  package let hiddenNames: [String]
  /// The requests that lead to no collection.
  package let unknownRelations: [RelationRequest]

  /// No records.
  static let none = RelatedRecords(records: RecordList([RelatedRecord]()), hiddenNames: [], unknownRelations: [])
}
