import ArgumentParser
import JSONDatabase
import JSONServer
import JSONServerValues

/// The format of findings about a file: a line for each with the file's line below it, a JSON array, or commands by
/// which a GitHub workflow annotates lines.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, github

  /// Formats findings about a file.
  ///
  /// - Parameter text: The file's text; `nil` when its lines are not those of the file.
  func report(_ findings: [Finding], in file: String, _ text: [UInt8]?) -> String {
    switch self {
    case .text:
      guard !findings.isEmpty else { return "\(LogText.escaped(file)): nothing to report\n" }
      return findings.map { finding in
        let place = text == nil ? "\(file):" : "\(file):\(finding.line):\(finding.column):"
        let excerpt = text.map { "\(Excerpt(of: $0, at: finding.offset).text)\n" } ?? ""
        return LogText.escaped("\(place) \(finding.severity): \(finding.message)") + "\n" + excerpt
      }.joined()
    case .json:
      let objects = findings.map { finding in
        var members = JSONObject([("file", .string(file))])
        if text != nil {
          members["line"] = .number(JSONNumber(finding.line))
          members["column"] = .number(JSONNumber(finding.column))
        }
        members["severity"] = .string("\(finding.severity)")
        members["message"] = .string(finding.message)
        return JSONValue.object(members)
      }
      return JSONValue.array(objects).text() + "\n"
    case .github:
      return findings.map { finding in
        let place = text == nil ? "" : ",line=\(finding.line),col=\(finding.column)"
        let name = Self.escaped(file).replacing(":", with: "%3A").replacing(",", with: "%2C")
        return "::\(finding.severity) file=\(name)\(place)::\(Self.escaped(finding.message))\n"
      }.joined()
    }
  }

  /// Escapes the data of a workflow command.
  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
