import HTTPTypes

/// The links of a response (RFC 8288, section 3).
enum LinkField {
  /// The address of the next page, as it stands in the field; `nil` when there is none.
  static func next(in fields: HTTPFields) -> String? {
    guard let name = HTTPField.Name("Link") else { return nil }
    for value in fields[values: name] {
      var rest = value[...]
      while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
        let address = rest[rest.index(after: open)..<close]
        rest = rest[close...].dropFirst()
        if takeRelations(of: &rest).contains("next") { return String(address) }
      }
    }
    return nil
  }

  /// Takes the parameters of a link up to the comma after it, and returns the words of `rel`.
  private static func takeRelations(of rest: inout Substring) -> [String] {
    var parameters: [String] = []
    var parameter = ""
    var isQuoted = false
    while let character = rest.first {
      if !isQuoted, character == "," { break }
      rest.removeFirst()
      switch character {
      case "\"": isQuoted.toggle()
      case ";" where !isQuoted:
        parameters.append(parameter)
        parameter = ""
      default: parameter.append(character)
      }
    }
    parameters.append(parameter)
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "rel" else { continue }
      return parts[1].lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }
    return []
  }
}
