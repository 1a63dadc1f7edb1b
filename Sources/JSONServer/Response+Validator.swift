import HTTPTypes

extension Response {
  /// The response with its validator among its fields.
  ///
  /// Until someone asks for the fields, answers that differ in their validator share them.
  var complete: Response {
    guard let validator else { return self }
    var response = self
    response.validator = nil
    response.headerFields[.eTag] = validator.fieldValue
    return response
  }
}
