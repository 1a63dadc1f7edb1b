import OrderedJSON

/// Says where in a resource something cannot be read: `bookmarks[3] (id 7): title: expected a string, found null`.
struct DecodingFailure: CustomStringConvertible {
  let description: String
  /// The record that cannot be read; the whole resource where it is none of several.
  let value: JSONValue

  /// - Parameters:
  ///   - error: What the decoding threw.
  ///   - resource: The resource's name.
  ///   - value: The resource as it is.
  init(_ error: any Error, in resource: String, _ value: JSONValue) {
    var path = Self.context(of: error)?.codingPath[...] ?? []
    var place = resource
    var record: JSONValue?
    if let position = path.first?.intValue, let element = value.array?.dropFirst(position).first {
      record = element
      path.removeFirst()
      place += "[\(position)]"
      if let id = element["id"] ?? element["_id"] { place += " (id \(id.string ?? id.text(pretty: false)))" }
    }
    let steps = path.reduce(into: "") { text, key in
      if let position = key.intValue {
        text += "[\(position)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    let reason = Self.context(of: error).map { Self.asClause($0.debugDescription) } ?? "\(error)"
    description = ([place] + (steps.isEmpty ? [] : [steps]) + [reason]).joined(separator: ": ")
    self.value = record ?? value
  }

  private static func context(of error: any Error) -> DecodingError.Context? {
    switch error as? DecodingError {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      context
    case nil: nil
    @unknown default: nil
    }
  }

  /// A sentence as it stands after a colon.
  private static func asClause(_ sentence: String) -> String {
    let clause = sentence.prefix(1).lowercased() + sentence.dropFirst()
    return clause.hasSuffix(".") ? String(clause.dropLast()) : clause
  }
}
