import HTTPTypes

extension HTTPFields {
  /// Takes over fields, each in the place of those with its name.
  mutating func replace(with fields: HTTPFields) {
    for field in fields { self[fields: field.name] = fields[fields: field.name] }
  }
}
