/// A member that records are sorted by.
package struct SortKey: Sendable, Hashable {
  package let path: FieldPath
  package let isDescending: Bool

  package init(_ path: FieldPath, descending: Bool = false) {
    self.path = path
    isDescending = descending
  }
}
