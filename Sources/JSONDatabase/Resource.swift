package import OrderedJSON

/// One top-level member of the file.
package enum Resource: Sendable {
  /// An array: records by id.
  case collection(Collection)
  /// An object: one record without id.
  case singular(Text)
  /// A member that is kept in the file and not served, such as `$schema`.
  case unserved(Text)
}

/// A resource and the text around its value in the file.
struct ResourceEntry: Sendable {
  let name: String
  /// From the previous comma or brace to the value: white space, the name, the colon.
  let lead: Text
  var resource: Resource
  /// The white space after the value.
  let trail: Text
}
