/// How the records of one collection lead to those of another.
enum Relation {
  /// The records of a collection whose key holds this record's id.
  case children(position: Int, key: FieldPath)
  /// The record of a collection whose id this record's key holds.
  case parent(position: Int, key: FieldPath)
  /// Nothing of that name: an empty list.
  case nothing

  /// The collection that it leads to.
  var target: Int? {
    switch self {
    case .children(let position, _), .parent(let position, _): position
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
