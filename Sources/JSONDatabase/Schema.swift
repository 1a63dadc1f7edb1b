/// The names by which records are identified and related.
package struct Schema: Sendable {
  /// The member that holds a record's id, unless ``idNames`` says otherwise for its resource.
  package var idName = "id"
  /// The members that hold the ids of some resources' records.
  package var idNames: [String: String] = [:]
  /// The suffix of foreign keys, after the singular of the resource.
  package var foreignKeySuffix = "Id"
  /// Members that hold lists of ids, by their names: of the records of the collection of that name, or, as `tagIds`, of
  /// those that the name says. In these a deleted record's id is not left under either dialect.
  package var idLists: Set<String> = []
  /// What is checked in records before they are written.
  package var checks = Checks()
  /// What fills members of the records that are written.
  package var filler = Filler.none
  /// Which json-server's responses are given.
  package var dialect = Dialect.classic
  /// The deepest nesting of arrays and objects that is accepted.
  package var maximumDepth = 512
  /// The deepest nesting of a record, which is in an array in an object; of a singular resource the same.
  package var maximumRecordDepth: Int { maximumDepth - 2 }
  /// The most bytes by which a patch may make a record larger: its operations may copy what is there again and again.
  package var maximumPatchGrowth = Int.max
  /// The most bytes of a new record's address `/resource/id`, where a byte that is no letter, digit, `-`, `.`, `_` or `~`
  /// counts as three.
  package var maximumAddressBytes = Int.max

  package init() {}

  /// The member that holds the ids of a resource's records.
  package func idName(of resource: String) -> String {
    idNames[resource] ?? idName
  }
}

/// Which json-server's responses are given where the two differ.
package enum Dialect: Sendable, Hashable, CaseIterable {
  /// json-server 0.17.4's responses, and every spelling of 1.0 that does not contradict them.
  case classic
  /// json-server 1.0's responses.
  case v1
}
