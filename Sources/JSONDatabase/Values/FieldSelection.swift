package import OrderedJSON

/// Which members of records a response shows, by their paths: `title`, `author.name`, `tags.0`.
package struct FieldSelection: Sendable {
  /// The paths, as they were asked for.
  package let paths: [FieldPath]
  private var members = MemberSelection()

  /// Selects what some paths lead to, and a member that is named like a whole path.
  package init(_ names: [String]) {
    paths = names.map { FieldPath($0) }
    for path in paths {
      members.insert([path.whole])
      if path.isNested { members.insert(path.parts) }
    }
  }

  /// A record with what is selected; what is no object as it is.
  package func of(_ record: ValidJSON) -> ValidJSON { record.selecting(members) }
}

extension Database {
  /// The paths that lead to nothing in any record of a resource, nor into what is put into its records.
  ///
  /// - Parameter relations: The names of what is put into the records.
  /// - Complexity: O(n) for a path that is asked for the first time.
  package func unknownPaths(
    of selection: FieldSelection, in name: String, relations: [String]
  ) -> [FieldPath] {
    guard let position = try? position(of: name) else { return [] }
    let own = selection.paths.filter { path in !relations.contains { path.name == $0 || path.below($0) != nil } }
    if case .singular(let value) = entries[position].resource {
      return own.filter { path in !value.withToken { path.leads(in: $0) { _ in true } } }
    }
    // What a record will have, none tells.
    guard let collection = entries[position].collection, collection.count > 0 else { return [] }
    return own.filter { !collection.hasMember($0, patience) }
  }
}
