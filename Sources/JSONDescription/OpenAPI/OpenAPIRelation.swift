/// A relation between two resources of the document.
struct OpenAPIRelation {
  let parent: NamedResource
  let child: NamedResource
  /// The child's member that holds the parent's id; the nested route's parameter is named after it.
  let foreignKey: String
  /// What `_expand` and `_embed` call the parent, such as `post`.
  let parentName: String

  /// Looks up the two ends; `nil` when one is not a collection of the document.
  init?(_ relation: ResourceRelation, among resources: [NamedResource], singular: (String) -> String) {
    func collection(_ name: String) -> NamedResource? {
      resources.first { $0.resource.name == name && $0.resource.kind == .collection }
    }
    guard let parent = collection(relation.parent), let child = collection(relation.child) else { return nil }
    self.parent = parent
    self.child = child
    foreignKey = relation.foreignKey
    parentName = singular(relation.parent)
  }
}
