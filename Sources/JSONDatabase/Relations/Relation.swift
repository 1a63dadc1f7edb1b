package import JSONServerValues

/// A relation between the records of two collections.
enum Relation {
  /// The records of a collection with this record's id in their key.
  case children(position: Int, key: FieldPath)
  /// The record of a collection with the id in this record's key, or the records of a list of ids. If lists are meant,
  /// the result is a list even for one id or none.
  case parent(position: Int, key: FieldPath, isList: Bool)
  /// An unknown name: an empty list.
  case nothing

  /// The collection of the related records.
  var target: Int? {
    switch self {
    case .children(let position, _), .parent(let position, _, _): position
    case .nothing: nil
    }
  }

  /// The member of children with this record's id; `nil` for parents.
  var childKey: FieldPath? {
    if case .children(_, let key) = self { key } else { nil }
  }
}

/// A relation, and the relations of its related records.
struct RelationTree {
  /// The member for the related records.
  let name: String
  let relation: Relation
  var branches: [RelationTree] = []

  /// Whether the related records replace their ids.
  var replacesKey: Bool {
    if case .parent(_, let key, _) = relation { key.name == name } else { false }
  }
}

/// A request for related records inside each record of a response.
package struct RelationRequest: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// `_embed`: the records that refer to this one or, with a singular name, the record to which this one refers.
    case embed
    /// `_expand`: the record to which this one refers.
    case expand
  }

  /// The largest number of levels in a request.
  static let maximumLevels = 4

  package let kind: Kind
  /// The member for the related records; dots separate levels, as in `posts.comments`.
  package let name: String

  package init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }
}

/// A record with its requested related records.
package struct RelatedRecord: Sendable {
  package let record: ValidJSON
  /// The names and values to add, in order; each replaces a member of that name.
  package let related: [(name: String, value: ValidJSON.AddedValue)]
  /// The members to show of the record and of related ones; `nil` for all.
  package var selection: FieldSelection?
  /// Whether this stands for a record that is not there.
  let isMark: Bool

  /// Joins a record with its related records.
  package init(record: ValidJSON, related: [(name: String, value: ValidJSON.AddedValue)] = []) {
    self.record = record
    self.related = related
    isMark = false
  }

  /// Stands for a record that is not there; no selection of members applies.
  package init(mark: ValidJSON) {
    record = mark
    related = []
    isMark = true
  }

  /// The record with its related records as one value.
  package var joined: ValidJSON {
    let whole = record.withToken { related.isEmpty || $0.kind != .object ? record : ValidJSON($0, adding: related) }
    return selection?.of(whole) ?? whole
  }
}

/// Records with their related records.
package struct RelatedRecords: Sendable {
  package let records: RecordList
  /// The names of relations that were not added, since a record has a member of that name.
  package let hiddenNames: [String]
  /// The requested relations without a collection.
  package let unknownRelations: [RelationRequest]

  /// No records.
  static let none = RelatedRecords(records: RecordList([RelatedRecord]()), hiddenNames: [], unknownRelations: [])
}
