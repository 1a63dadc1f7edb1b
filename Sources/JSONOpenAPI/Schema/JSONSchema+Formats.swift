import JSONDatabase
import JSONDescription
import JSONServerValues

extension JSONSchema {
  /// A format of texts.
  struct Format: Sendable {
    let allows: @Sendable (String) -> Bool
    /// Makes a text from a number; texts of different numbers differ where the format has room.
    let sample: @Sendable (Int) -> String

    private init(_ format: StringFormat, _ sample: @escaping @Sendable (Int) -> String) {
      self.init(format.matches, sample)
    }

    private init(_ allows: @escaping @Sendable (String) -> Bool, _ sample: @escaping @Sendable (Int) -> String) {
      (self.allows, self.sample) = (allows, sample)
    }

    private static func day(_ index: Int) -> String { "2024-01-" + CivilTime.twoDigits(1 + index % 28) }

    /// The formats by their names. Each other format is one that is not followed.
    static let known: [String: Format] = [
      "date-time": Format(.dateTime) { day($0) + "T00:00:00Z" },
      "date": Format(.date) { day($0) },
      "time": Format({ StringFormat.dateTime.matches("2024-01-01T" + $0) }) {
        "00:00:\(CivilTime.twoDigits($0 % 60))Z"
      },
      "email": Format(.email) { "user\($0 + 1)@example.com" },
      "uuid": Format(.uuid) { "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + $0).dropFirst()) },
      "uri": Format(.uri) { "https://example.com/\($0)" },
      "url": Format(.uri) { "https://example.com/\($0)" },
      "uri-reference": Format({ $0.wholeMatch(of: /([-A-Za-z0-9._~:\/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*/) != nil }) {
        "/\($0)"
      },
      "hostname": Format(isHostname) { "host\($0 + 1).example.com" },
      "ipv4": Format(.ipv4) { "192.0.2.\(1 + $0 % 254)" },
      "ipv6": Format(isIPv6) { "2001:db8::\(1 + $0 % 9999)" },
      "duration": Format({
        $0.wholeMatch(of: /P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)/) != nil && $0.last != "P"
          && $0.last != "T"
      }) { "P\($0 + 1)D" },
      "byte": Format({ $0.utf8.count % 4 == 0 && $0.wholeMatch(of: /[A-Za-z0-9+\/]*={0,2}/) != nil }) { _ in "c3RyaW5n"
      },
    ]

    @Sendable private static func isHostname(_ text: String) -> Bool {
      let label = /([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*/
      return text.utf8.count <= 253 && text.wholeMatch(of: label) != nil
    }

    @Sendable private static func isIPv6(_ text: String) -> Bool {
      let halves = text.split(separator: "::" as String, omittingEmptySubsequences: false)
      let groups = halves.flatMap { $0.isEmpty ? [] : $0.split(separator: ":", omittingEmptySubsequences: false) }
      let isMixed = StringFormat.ipv4.matches(groups.last.map(String.init) ?? "")
      let count = groups.count + (isMixed ? 1 : 0)
      return (halves.count == 1 ? count == 8 : halves.count == 2 && count < 8)
        && groups.dropLast(isMixed ? 1 : 0).allSatisfy { 1...4 ~= $0.count && UInt16($0, radix: 16) != nil }
    }
  }
}
