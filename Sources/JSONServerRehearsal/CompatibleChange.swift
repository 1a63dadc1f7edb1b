import JSONDatabase
import JSONDescription
import JSONServer
import JSONServerValues

/// A change of responses that API owners call compatible: a row of the catalog.
///
/// Changes that break a contract have no row: a renamed member, the removal of a member that every record has, another
/// type.
struct CompatibleChange: Sendable {
  /// The effect of a change.
  enum Effect: Sendable {
    /// Each value in the place is replaced or removed.
    case value(shown: String, @Sendable (JSONValue) -> JSONValue?)
    /// Ids have another form, also where other records refer to them.
    case ids(IDForm)
    /// Lists lack these records, by collection and id.
    case emptied([String: Set<JSONValue>])
    /// The collection has more records.
    case records(shown: String, @Sendable ([JSONValue]) -> [JSONValue])
    /// Errors have another body.
    case error(body: JSONValue)
  }

  /// The name for `--only` and `--ignore`, and the change in a sentence.
  let (name, sentence): (String, String)
  /// The published policy of an API owner that calls the change compatible, or asks clients to expect it.
  let source: String
  /// The effect in a place; `nil` where the change does not apply.
  let effect: @Sendable (Place, PlaceSample) -> Effect?

  private static let stripe = "https://stripe.com/docs/upgrades"
  private static let zalando = "https://opensource.zalando.com/restful-api-guidelines/"
  private static let github = "https://docs.github.com/en/rest/"

  /// The changes; those that break most clients come first.
  static let catalog: [CompatibleChange] = [
    CompatibleChange("null", "null in place of an optional value", zalando + "#123") { _, sample in
      sample.isOptional ? .value(shown: "= null") { _ in .null } : nil
    },
    CompatibleChange("absent", "an optional member is not there", zalando + "#123") { place, sample in
      sample.isOptional && place.path.last != Place.element ? .value(shown: "is absent") { _ in nil } : nil
    },
    CompatibleChange("new-value", "a value not seen before", "https://google.aip.dev/180") { _, sample in
      sample.isEnumeration ? .text(sample.texts.last) { $0.hasSuffix("-2") ? $0 : $0 + "-2" } : nil
    },
    CompatibleChange("new-member", "a member not seen before", github + "overview/breaking-changes") { place, sample in
      guard sample.isObject else { return nil }
      // A map from names to values of one type stays one.
      let added: JSONValue = place.path.isEmpty ? ["note": "Added later"] : sample.uniformMember ?? "Added later"
      return .value(shown: "has addedLater") { value in
        guard var object = value.object else { return value }
        object["addedLater"] = added
        return .object(object)
      }
    },
    CompatibleChange("new-kind", "a record of a kind not seen before", stripe) { place, sample in
      guard let new = sample.newKind else { return nil }
      let shown = "has a record of a new kind, \(new)"
      if case .list = place { return .records(shown: shown) { sample.adding(1, to: $0) { _ in new } } }
      return .value(shown: shown) { $0.array.map { .array($0.last == new ? $0 : $0 + [new]) } ?? $0 }
    },
    CompatibleChange("empty-list", "a list is empty", zalando + "#124") { place, sample in
      if case .list = place { return .emptied(sample.dependents) }
      return sample.isList ? .value(shown: "= []") { _ in .array([]) } : nil
    },
    CompatibleChange(
      "long-list", "a list is longer than a page", github + "using-the-rest-api/using-pagination-in-the-rest-api"
    ) { place, sample in
      guard case .list = place, 1...100 ~= sample.records.count else { return nil }
      return .records(shown: "has 101 records") { records in
        sample.adding(101 - records.count, to: records) { records[$0 % records.count] }
      }
    },
    CompatibleChange("longer-id", "ids are longer", stripe) { place, sample in
      sample.idForm(of: place, [.larger, .longer]).map { .ids($0) }
    },
    CompatibleChange("other-id", "ids have another form", stripe) { place, sample in
      sample.idForm(of: place, [.prefixed]).map { .ids($0) }
    },
    CompatibleChange(
      "fraction", "dates have fractions of a second, or none", "https://protobuf.dev/programming-guides/json/"
    ) { _, sample in
      let hasFractions = sample.texts.first?.contains(".") == true
      return sample.format != .dateTime
        ? nil
        : .text(sample.texts.first) { date in
          guard date.contains(".") == hasFractions else { return date }
          let rest = date.dropFirst(19)
          return date.prefix(19) + (hasFractions ? "\(rest.dropFirst().drop(while: \.isNumber))" : ".123\(rest)")
        }
    },
    CompatibleChange("offset", "dates have an offset", zalando + "#126") { _, sample in
      let first = sample.texts.first { $0.hasSuffix("Z") }
      return sample.format == .dateTime && first != nil ? .text(first) { $0.withOffset } : nil
    },
    CompatibleChange(
      "number", "1 is written as 1.0, or 1.0 as 1",
      "https://json-schema.org/understanding-json-schema/reference/numeric"
    ) { _, sample in
      sample.numbers.compactMap(\.otherSpelling).first.map { first in
        .value(shown: "= \(first)") { value in
          if case .number(let number) = value, let other = number.otherSpelling { .number(other) } else { value }
        }
      }
    },
    CompatibleChange(
      "url", "an address leads elsewhere, and has a query", github + "guides/best-practices-for-using-the-rest-api"
    ) { _, sample in
      sample.format == .uri ? .text(sample.texts.first) { $0.movedAddress } : nil
    },
    CompatibleChange("characters", "a text has emoji, and letters from right to left", stripe) { _, sample in
      sample.isProse ? .text(sample.texts.first) { $0.hasSuffix(emoji) ? $0 : $0 + emoji } : nil
    },
    CompatibleChange("long-text", "a text is very long", stripe) { _, sample in
      sample.isProse ? .text(sample.texts.first) { $0.hasSuffix(tail) ? $0 : $0 + tail } : nil
    },
    CompatibleChange("order", "members come in another order", stripe) { place, sample in
      sample.isObject && place.path.isEmpty ? .value(shown: "has its members in another order") { $0.reversed } : nil
    },
    CompatibleChange("error-body", "errors have another body", zalando + "#176") { place, _ in
      place == .error ? .error(body: ["type": "about:blank", "title": "The request failed"]) : nil
    },
  ]

  private static let emoji = " 👩🏽‍🚀 مرحبا"
  private static let tail = String(repeating: " and so on", count: 1_000)

  private init(
    _ name: String, _ sentence: String, _ source: String, _ effect: @escaping @Sendable (Place, PlaceSample) -> Effect?
  ) {
    (self.name, self.sentence, self.source, self.effect) = (name, sentence, source, effect)
  }
}

extension CompatibleChange.Effect {
  /// Changes texts. A text that a client sends back changed stays.
  fileprivate static func text(_ example: String?, _ change: @escaping @Sendable (String) -> String) -> Self {
    let shown = example.map(change) ?? ""
    return .value(shown: "= \(JSONValue.string(shown.count > 60 ? shown.prefix(40) + "…" : shown))") { value in
      value.string.map { .string(change($0)) } ?? value
    }
  }
}

extension String {
  /// A date and time in UTC, written with an offset of two hours; any other text unchanged.
  fileprivate var withOffset: String {
    let parts = split { !$0.isNumber }.prefix(6).compactMap { Int64($0) }
    guard hasSuffix("Z"), parts.count == 6 else { return self }
    let days = CivilTime.daysSince1970(year: Int(parts[0]), month: Int(parts[1]), day: Int(parts[2]))
    let time = CivilTime(secondsSince1970: Int64(days) * 86_400 + (parts[3] + 2) * 3600 + parts[4] * 60 + parts[5])
    return "\(time.date)T\(time.clock)\(dropFirst(19).dropLast())+02:00"
  }

  /// An address on another host. Addresses of this server, which the client follows, stay.
  fileprivate var movedAddress: String {
    let parts = split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, !["localhost", "127.", "cdn-2."].contains(where: parts[2].hasPrefix) else { return self }
    let rest = parts.dropFirst(3).joined()
    return "\(parts[0])//cdn-2.example.net/v2/\(rest)\(rest.contains("?") ? "&" : "?")signature=a%2Fb"
  }
}

extension JSONNumber {
  /// `1` as `1.0`, and `1.0` as `1`; `nil` for any other number.
  fileprivate var otherSpelling: JSONNumber? {
    if integerValue != nil { return JSONNumber(text: text + ".0") }
    return text.hasSuffix(".0") ? JSONNumber(text: String(text.dropLast(2))) : nil
  }
}

extension JSONValue {
  /// The value with the members of all its objects in reverse order.
  fileprivate var reversed: JSONValue {
    changingObjects { JSONObject($0.reversed().map { ($0.name, $0.value) }) }
  }
}
