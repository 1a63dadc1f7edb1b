/// A member by which the records of one collection refer to those of another.
package struct ResourceRelation: Sendable, Hashable {
  /// The collection referred to, such as `posts`.
  package let parent: String
  /// The collection that refers, such as `comments`.
  package let child: String
  /// The child's member that holds the parent's id, such as `postId`.
  package let foreignKey: String

  package init(parent: String, child: String, foreignKey: String) {
    self.parent = parent
    self.child = child
    self.foreignKey = foreignKey
  }
}
