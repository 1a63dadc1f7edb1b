import HTTPTypes

/// The fields that most answers of a server have, and no others: they are written once, and copied into each head.
final class CommonFields: Sendable {
  let fields: HTTPFields
  /// The fields as they stand in a head.
  let lines: [UInt8]

  /// - Parameter fields: Fields that do not change and do not tell how a message ends.
  init(_ fields: HTTPFields) {
    self.fields = fields
    lines = fields.flatMap { "\($0.name.rawName): \($0.value)\r\n".utf8 }
  }
}
