import JSONDatabase
import JSONDescription
import JSONServerValues

/// A change of responses that the owners of APIs call compatible: a row of the catalogue.
///
/// What breaks a contract has no row: a member renamed, a member gone that every record has, another type.
struct CompatibleChange: Sendable {
  /// The name, by which a person chooses changes.
  let name: String
  /// What changes, in a sentence.
  let sentence: String
  /// Where the owner of an API says that this is compatible.
  let source: String
  /// What the change does in a place; `nil` where it does not apply.
  let effect: @Sendable (Place, PlaceSample) -> Effect?

  /// What a change does.
  enum Effect: Sendable {
    /// Each value in the place becomes another one, or goes.
    case value(shown: String, @Sendable (JSONValue) -> JSONValue?)
    /// Ids have another form, wherever they stand.
    case ids(IDForm)
    /// Lists do not have these records any more, by their ids: those of a collection, and those that refer to them.
    case emptied([String: Set<JSONValue>])
    /// The collection has more records.
    case records(shown: String, @Sendable ([JSONValue]) -> [JSONValue])
    /// Errors have another body.
    case error(body: JSONObject)
  }

  /// The changes, those that break most clients first.
  static let catalogue: [CompatibleChange] = [
    CompatibleChange(
      "null", "null, which the file has in another record or which is as good as the missing member there",
      "https://opensource.zalando.com/restful-api-guidelines/#123"
    ) { _, sample in
      sample.isOptional ? .value(shown: "= null") { _ in .null } : nil
    },
    CompatibleChange(
      "absent", "an optional member is not there", "https://opensource.zalando.com/restful-api-guidelines/#123"
    ) { place, sample in
      sample.isOptional && place.path.last != Place.element ? .value(shown: "is absent") { _ in nil } : nil
    },
    CompatibleChange(
      "new-value", "a value not seen before, where texts are of few kinds", "https://google.aip.dev/180"
    ) { _, sample in
      guard sample.isEnumeration, let last = sample.texts.last else { return nil }
      return .text(last) { $0.hasSuffix("-2") ? $0 : $0 + "-2" }
    },
    CompatibleChange(
      "new-member", "a member that was not there before", "https://docs.github.com/en/rest/overview/breaking-changes"
    ) { place, sample in
      guard sample.isObject else { return nil }
      // A map from names to values of one type stays one.
      let added: JSONValue = place.path.isEmpty ? ["note": "Added later"] : sample.uniformMember ?? "Added later"
      return .value(shown: "has addedLater") { value in
        guard var object = value.object, object["addedLater"] == nil else { return value }
        object["addedLater"] = added
        return .object(object)
      }
    },
    CompatibleChange(
      "new-kind", "a record of a new kind in a list of several kinds", "https://stripe.com/docs/upgrades"
    ) { place, sample in
      guard let record = sample.newKind else { return nil }
      let shown = "has \(record.name) = \(record.kind)"
      guard case .list = place else {
        return .value(shown: shown) { list in
          list.array.map { $0.last == record.value ? list : .array($0 + [record.value]) } ?? list
        }
      }
      return .records(shown: shown) { sample.adding(1, to: $0) { _, _ in record.value } }
    },
    CompatibleChange("empty-list", "a list is empty", "https://opensource.zalando.com/restful-api-guidelines/#124") {
      place, sample in
      if case .list = place { return .emptied(sample.dependents) }
      return sample.isList ? .value(shown: "= []") { _ in .array([]) } : nil
    },
    CompatibleChange(
      "long-list", "a list is longer than a page",
      "https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api"
    ) { place, sample in
      guard case .list = place, 1..<101 ~= sample.records.count else { return nil }
      return .records(shown: "has 101 records") { records in
        sample.adding(101 - records.count, to: records) { $0[$1 % $0.count] }
      }
    },
    CompatibleChange("longer-id", "ids are longer", "https://stripe.com/docs/upgrades") { place, sample in
      sample.idForm(of: place, [.larger, .longer]).map { .ids($0) }
    },
    CompatibleChange("other-id", "ids that are opaque texts have another form", "https://stripe.com/docs/upgrades") {
      place, sample in
      sample.idForm(of: place, [.prefixed]).map { .ids($0) }
    },
    CompatibleChange(
      "fraction", "dates have fractions of a second, or have none any more",
      "https://protobuf.dev/programming-guides/json/"
    ) { _, sample in
      guard sample.format == .dateTime, let first = sample.texts.first else { return nil }
      let hasFractions = first.contains(".")
      return .text(first) { (date: String) -> String in
        guard date.contains(".") == hasFractions else { return date }
        let rest = date.dropFirst(19)
        return date.prefix(19) + (hasFractions ? String(rest.dropFirst().drop(while: \.isNumber)) : ".123\(rest)")
      }
    },
    CompatibleChange(
      "offset", "dates have an offset", "https://opensource.zalando.com/restful-api-guidelines/#126"
    ) { _, sample in
      guard sample.format == .dateTime, let first = sample.texts.first(where: { $0.hasSuffix("Z") }) else { return nil }
      return .text(first) { $0.withOffset }
    },
    CompatibleChange(
      "number", "numbers are written as 1.0, or as 1",
      "https://json-schema.org/understanding-json-schema/reference/numeric"
    ) { _, sample in
      guard let first = sample.numbers.compactMap(\.otherSpelling).first else { return nil }
      return .value(shown: "= \(first)") { value in
        if case .number(let number) = value, let other = number.otherSpelling { .number(other) } else { value }
      }
    },
    CompatibleChange(
      "url", "addresses lead elsewhere, and have a query",
      "https://docs.github.com/en/rest/guides/best-practices-for-using-the-rest-api"
    ) { _, sample in
      guard sample.format == .uri, let first = sample.texts.first else { return nil }
      return .text(first) { (url: String) -> String in
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        // This server's own addresses are what the client follows.
        guard parts.count > 2, !parts[2].hasPrefix("localhost"), !parts[2].hasPrefix("127."), parts[2] != Self.moved
        else {
          return url
        }
        let rest = parts.dropFirst(3).joined()
        return "\(parts[0])//\(Self.moved)/v2/\(rest)\(rest.contains("?") ? "&" : "?")signature=a%2Fb"
      }
    },
    CompatibleChange(
      "characters", "texts have emoji, and letters from right to left", "https://stripe.com/docs/upgrades"
    ) { _, sample in
      sample.isProse ? .text(sample.texts.first) { $0.hasSuffix(Self.emoji) ? $0 : "\($0) \(Self.emoji)" } : nil
    },
    CompatibleChange("long-text", "texts are very long", "https://stripe.com/docs/upgrades") { _, sample in
      sample.isProse ? .text(sample.texts.first) { $0.hasSuffix(Self.tail) ? $0 : "\($0) \(Self.tail)" } : nil
    },
    CompatibleChange("order", "members come in another order", "https://stripe.com/docs/upgrades") { place, sample in
      guard sample.isObject, place.path.isEmpty else { return nil }
      return .value(shown: "has its members in another order") { $0.reversed }
    },
    CompatibleChange(
      "error-body", "errors have another body", "https://opensource.zalando.com/restful-api-guidelines/#176"
    ) { place, _ in
      guard case .error = place else { return nil }
      return .error(body: ["type": "about:blank", "title": "The request failed"])
    },
  ]

  private init(
    _ name: String, _ sentence: String, _ source: String, _ effect: @escaping @Sendable (Place, PlaceSample) -> Effect?
  ) {
    (self.name, self.sentence, self.source, self.effect) = (name, sentence, source, effect)
  }

  private static let moved = "cdn-2.example.net"
  private static let emoji = "👩🏽‍🚀 مرحبا"
  private static let tail = String(repeating: "and so on ", count: 1_000) + "to the end"
}

extension CompatibleChange.Effect {
  /// Changes texts, and leaves what is no text.
  ///
  /// - Parameter example: The text that is shown, changed.
  fileprivate static func text(
    _ example: String?, _ change: @escaping @Sendable (String) -> String
  ) -> Self {
    let changed = example.map(change) ?? ""
    let shown = JSONValue.string(changed.count > 60 ? changed.prefix(40) + "…" : changed)
    return .value(shown: "= \(shown)") { value in value.string.map { .string(change($0)) } ?? value }
  }
}

/// Another form of a collection's ids, from which the server's own can be told back.
enum IDForm: Sendable {
  /// Numbers that do not fit 32 bits.
  case larger
  /// Texts of 80 characters more.
  case longer
  /// Texts with another beginning.
  case prefixed

  private static let offset = 900_000_000_000
  private static let suffix = "~" + String(repeating: "0123456789abcdef", count: 5)
  private static let prefix = "obj_"

  /// An id in this form.
  func changed(_ id: JSONValue) -> JSONValue {
    switch (self, id) {
    case (.larger, .number(let number)): JSONNumber(text: changed(number.text)).map(JSONValue.number) ?? id
    case (.longer, .string(let text)), (.prefixed, .string(let text)): .string(changed(text))
    default: id
    }
  }

  /// An id in this form, as text.
  func changed(_ id: String) -> String {
    switch self {
    case .larger: Int(id).flatMap { 0..<Self.offset ~= $0 ? "\($0 + Self.offset)" : nil } ?? id
    case .longer: id.hasSuffix(Self.suffix) ? id : id + Self.suffix
    case .prefixed: id.hasPrefix(Self.prefix) ? id : Self.prefix + id
    }
  }

  /// An id of this form, or a list of them with commas, as the server knows it; any other text as it is.
  func restored(_ text: String) -> String {
    text.split(separator: ",", omittingEmptySubsequences: false).map { part -> String in
      switch self {
      case .larger: Int(part).flatMap { Self.offset..<2 * Self.offset ~= $0 ? "\($0 - Self.offset)" : nil } ?? "\(part)"
      case .longer: "\(part.hasSuffix(Self.suffix) ? part.dropLast(Self.suffix.count) : part)"
      case .prefixed: "\(part.hasPrefix(Self.prefix) ? part.dropFirst(Self.prefix.count) : part)"
      }
    }.joined(separator: ",")
  }

  /// The same for all ids within a value.
  func restored(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object): .object(JSONObject(object.map { ($0.name, restored($0.value)) }))
    case .array(let elements): .array(elements.map { restored($0) })
    case .string(let text): .string(restored(text))
    case .number(let number): JSONNumber(text: restored(number.text)).map(JSONValue.number) ?? value
    case .bool, .null: value
    }
  }

  /// Gives the ids in a request the form that the server knows: in its path, its parameters and its body.
  func restore(_ request: inout Request) {
    let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", omittingEmptySubsequences: false).map { restored(pair: $0) }
    request.target = ([path.joined(separator: "/")] + parts.dropFirst().map { restored(form: $0) }).joined(
      separator: "?")
    if let value = try? JSONValue(parsing: request.bytes) {
      let own = restored(value)
      if own != value { request.bytes = own.utf8Text() }
    } else if request.headerFields[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true {
      request.bytes = Array(restored(form: Substring(decoding: request.bytes, as: UTF8.self)).utf8)
    }
  }

  private func restored(form: Substring) -> String {
    form.split(separator: "&", omittingEmptySubsequences: false).map { restored(pair: $0) }.joined(separator: "&")
  }

  /// A segment, or a name and its value: what stands after the last `=`, encoded.
  private func restored(pair: Substring) -> String {
    let start = pair.lastIndex(of: "=").map { pair.index(after: $0) } ?? pair.startIndex
    let value = PercentEncoding.decodeForm(pair[start...].utf8)
    let own = restored(value)
    return own == value ? String(pair) : pair[..<start] + PercentEncoding.encodeSegment(own)
  }
}

extension String {
  /// A date and time of UTC as clocks two hours ahead show it; any other text as it is.
  fileprivate var withOffset: String {
    let parts = split { !$0.isNumber }.prefix(6).compactMap { Int64($0) }
    guard hasSuffix("Z"), parts.count == 6 else { return self }
    let days = CivilTime.daysSince1970(year: Int(parts[0]), month: Int(parts[1]), day: Int(parts[2]))
    let time = CivilTime(secondsSince1970: Int64(days) * 86_400 + (parts[3] + 2) * 3600 + parts[4] * 60 + parts[5])
    let date = [time.month, time.day].map { "-" + CivilTime.twoDigits($0) }.joined()
    return "\(time.year)\(date)T\(time.clock)\(dropFirst(19).dropLast())+02:00"
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
    switch self {
    case .object(let object): .object(JSONObject(object.reversed().map { ($0.name, $0.value.reversed) }))
    case .array(let elements): .array(elements.map(\.reversed))
    case .null, .bool, .number, .string: self
    }
  }
}
