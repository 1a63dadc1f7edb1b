import HTTPTypes

extension HTTPFields {
  /// Returns the value of the first field with a name, or `nil`.
  ///
  /// For fields that stand once, on the path of every request: the subscript joins the values of all such fields, which
  /// costs several times as much even when there is one.
  func first(_ name: HTTPField.Name) -> String? {
    first { $0.name == name }?.value
  }

  /// Returns the values of all fields with a name, joined as the subscript joins them, or `nil`.
  ///
  /// For fields that may stand more than once and hardly ever do.
  func joined(_ name: HTTPField.Name) -> String? {
    guard let index = firstIndex(where: { $0.name == name }) else { return nil }
    let isOnly = !self[(index + 1)...].contains { $0.name == name }
    return isOnly ? self[index].value : self[name]
  }
}
