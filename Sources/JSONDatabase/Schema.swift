/// The names by which records are identified and related.
package struct Schema: Sendable {
  /// The member that holds a record's id, in resources without an entry in ``idNames``.
  package var idName = "id"
  /// The members that hold ids in some resources, by resource.
  package var idNames: [String: String] = [:]
  /// The suffix of foreign keys, after the singular of the resource.
  package var foreignKeySuffix = "Id"
  /// Members with lists of ids, by name: of the collection of that name, or of the collection in a name such as
  /// `tagIds`. From these lists the ids of deleted records are removed in both dialects.
  package var idLists: Set<String> = []
  /// The collections in which a record is created under an id that a client names; `*` for all.
  package var upserts: Set<String> = []
  /// The checks of new and changed records.
  package var checks = Checks()
  /// The members that the server fills in new and changed records.
  package var filler = Filler.none
  /// The json-server version whose responses are given.
  package var dialect = Dialect.classic
  /// The parameters of pages that begin after a cursor, and their usual size; `nil` for other pages.
  package var cursorPages: (cursor: String, limit: String, size: Int)?
  /// The deepest nesting of arrays and objects that is accepted.
  package var maximumDepth = 512
  /// The deepest nesting of a record, which is in an array in an object; the same for a single resource.
  package var maximumRecordDepth: Int { maximumDepth - 2 }
  /// The largest number of bytes by which a patch may enlarge a record: its operations may copy values repeatedly.
  package var maximumPatchGrowth = Int.max
  /// The longest address `/resource/id` of a new record, in bytes; a byte that is not a letter, a digit, `-`, `.`, `_`
  /// or `~` counts as three.
  package var maximumAddressBytes = Int.max
  /// Whether records keep their slots for ever, since others know records by them.
  package var keepsSlots = false

  package init() {}

  /// The member that holds the ids of a resource's records.
  package func idName(of resource: String) -> String {
    idNames[resource] ?? idName
  }

  /// Whether a record of a collection is created under an id that a client names.
  package func allowsUpsert(in resource: String) -> Bool { upserts.contains("*") || upserts.contains(resource) }
}

/// The json-server version whose responses are given.
package enum Dialect: Sendable, Hashable, CaseIterable {
  /// json-server 0.17.4, and the parameters of 1.0 that do not contradict it.
  case classic
  /// json-server 1.0.
  case v1
}
