/// A parameter of a request that may be a filter, such as `views_gte=10` or `author.name=ada`.
package struct FilterParameter: Sendable, Hashable {
  package let name: String
  package var values: [String]

  package init(_ name: String, _ values: [String]) {
    self.name = name
    self.values = values
  }
}
