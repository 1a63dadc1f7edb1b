import HTTPTypes

extension Response {
  /// The response as Swift code sees it: all fields among the others, and nothing that only its own server may use.
  ///
  /// Until someone asks for the fields, answers that differ in their validator share them.
  var complete: Response {
    var response = self
    response.validator = nil
    response.commonFields = nil
    if let validator { response.headerFields[.eTag] = validator.fieldValue }
    return response
  }
}
