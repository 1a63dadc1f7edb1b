/// How the records of one collection lead to those of another.
enum Relation {
  /// The records of a collection whose key holds this record's id.
  case children(position: Int, key: FieldPath)
  /// The record of a collection whose id this record's key holds.
  case parent(position: Int, key: FieldPath)
  /// Nothing of that name: an empty list.
  case nothing
}
