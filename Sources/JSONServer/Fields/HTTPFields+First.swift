import HTTPTypes

extension HTTPFields {
  /// Returns the value of the first field with a name, or `nil`.
  ///
  /// For fields that stand once, on the path of every request: the subscript joins the values of all such fields, which
  /// costs several times as much even when there is one.
  func first(_ name: HTTPField.Name) -> String? {
    first { $0.name == name }?.value
  }
}
