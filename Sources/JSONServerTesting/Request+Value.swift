public import JSONServer
public import OrderedJSON

extension Request {
  /// The body as the server understands it: JSON, or the members of a form, the rows of a table; `nil` when there is
  /// none.
  public var value: JSONValue? {
    guard let bytes = (try? RequestBody.json(from: self)) ?? (body.isEmpty ? nil : body) else { return nil }
    return (try? JSONValue(parsing: bytes)) ?? String(validating: bytes, as: UTF8.self).map(JSONValue.string)
  }
}
