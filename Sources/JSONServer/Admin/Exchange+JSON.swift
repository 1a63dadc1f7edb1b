import OrderedJSON

extension Exchange {
  /// The most bytes of a body that are shown.
  private static let maximumShownBytes = 64 * 1024

  /// The exchange as `/__admin/requests` shows it.
  var value: JSONValue {
    var members = RequestSummary(self).members
    members["requestHeaders"] = .object(request.headerFields.members)
    members["requestBody"] = Self.text(request.body)
    members["responseHeaders"] = .object(response.headerFields.members)
    members["responseBody"] = Self.text(response.bytes)
    return .object(members)
  }

  /// The start of a body, cut between characters; null when there is none or it is not text.
  private static func text(_ body: [UInt8]) -> JSONValue {
    guard !body.isEmpty else { return .null }
    var shown = body.prefix(maximumShownBytes)
    if shown.count < body.count {
      // The character that the cut is in: its first byte and those that continue it.
      while let last = shown.last, last & 0b1100_0000 == 0b1000_0000 { shown.removeLast() }
      if let last = shown.last, last >= 0x80 { shown.removeLast() }
    }
    guard !shown.contains(0), let text = String(validating: shown, as: UTF8.self) else { return .null }
    return .string(text)
  }
}
