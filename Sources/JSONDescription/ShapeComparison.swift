package import JSONServerValues

/// Compares the shape of a file's data with samples of a real API.
///
/// A difference is a value in a sample that contradicts the file: another kind of value, a fraction where the file has
/// whole numbers, another format of dates, `null` where the file has none, a member that one of the two lacks. Each
/// difference is reported once, at its first place in the file. Samples without a `null` or a fraction prove nothing.
package struct ShapeComparison {
  /// A response of the API, or an element of one, and its path, such as `/v2/articles/3`.
  package typealias Sample = (place: String, value: ValidJSON)
  /// A sentence without values, and its offset in the file's text.
  package typealias Difference = (message: String, offset: Int)
  /// A value of the file, and the offset of its member's name.
  private typealias Own = (value: ValidJSON, offset: Int)

  /// The path of the samples, such as `/v2/articles`.
  private let source: String
  private var differences: [Difference] = []

  /// Compares a resource's value, or the elements of its list, with samples.
  ///
  /// - Parameters:
  ///   - own: The value or the elements, as parts of the file's text.
  ///   - name: The resource's name.
  /// - Returns: The differences in the file's order.
  /// - Complexity: O(*n*) in the size of both.
  package static func differences(
    of own: [ValidJSON], named name: String, from samples: [Sample], at source: String
  ) -> [Difference] {
    var comparison = ShapeComparison(source: source)
    comparison.compare(own.map { ($0, $0.offset) }, samples, [], name)
    return comparison.differences.sorted { ($0.offset, $0.message) < ($1.offset, $1.message) }
  }

  private init(source: String) { self.source = source }

  /// - Parameters:
  ///   - path: The names of the members on the way to the values.
  ///   - name: The name for messages when there are no values.
  private mutating func compare(_ own: [Own], _ samples: [Sample], _ path: [String], _ name: String) {
    guard let first = own.first else { return }
    let shown = "\"\(path.isEmpty ? name : path.joined(separator: "."))\""
    if let null = samples.first(where: { $0.value.kind == .null }), !own.contains(where: { $0.value.kind == .null }) {
      differences.append(("\(shown) is \(first.value.kind.word) here, and null at \(null.place)", first.offset))
    }
    guard let other = samples.first(where: { $0.value.kind != .null }) else { return }
    for kind in [ValueToken.Kind.bool, .number, .string, .array, .object] {
      let own = own.filter { $0.value.kind == kind }
      let samples = samples.filter { $0.value.kind == kind }
      guard let first = own.first else { continue }
      switch kind {
      case _ where samples.isEmpty:
        let words = "\(kind.word) here, and \(other.value.kind.word) at \(other.place)"
        differences.append(("\(shown) is \(words)", first.offset))
      case .null, .bool: break
      case .number:
        guard let sample = samples.first(where: { !$0.value.isInteger }), own.allSatisfy(\.value.isInteger) else {
          break
        }
        differences.append(
          ("\(shown) is a whole number here, and one with a fraction at \(sample.place)", first.offset))
      case .string: compareTexts(own, samples, shown)
      case .array:
        compare(
          own.flatMap { ($0.value.elements ?? []).map { ($0, $0.offset) } },
          samples.flatMap { sample in (sample.value.elements ?? []).map { (sample.place, $0) } },
          path.dropLast() + ["\(path.last ?? name)[]"], name)
      case .object: compareMembers(own, samples, path, name)
      }
    }
  }

  /// The formats that clients decode as types of their own; they often cannot decode a text in another format.
  private static let formats: [StringFormat: String] = [.dateTime: "a date-time", .date: "a date", .uuid: "a UUID"]

  private mutating func compareTexts(_ own: [Own], _ samples: [Sample], _ shown: String) {
    let format = StringFormat(of: own.map(\.value.text)), other = StringFormat(of: samples.map(\.value.text))
    let (word, otherWord) = (format.flatMap { Self.formats[$0] }, other.flatMap { Self.formats[$0] })
    guard word != otherWord else { return }
    let sample = samples.first { format?.matches($0.value.text) != true } ?? samples[0]
    let place = own.first { other?.matches($0.value.text) != true } ?? own[0]
    differences.append(
      ("\(shown) is \(word ?? "a text") here, and \(otherWord ?? "another text") at \(sample.place)", place.offset))
  }

  private mutating func compareMembers(_ own: [Own], _ samples: [Sample], _ path: [String], _ name: String) {
    let (members, others) = (Self.members(own.map(\.value)), Self.members(samples.map(\.value)))
    for (member, values) in members {
      let values = values.map { (value: $0.value, offset: $0.nameOffset) }
      if let there = others[member]?.map({ (place: samples[$0.object].place, value: $0.value) }) {
        compare(values, there, path + [member], name)
        continue
      }
      let text =
        samples.count == 1 ? "not at \(samples[0].place)" : "in none of \(samples.count) samples from \(source)"
      differences.append(
        ("\"\((path + [member]).joined(separator: "."))\" is here, and \(text)", values[0].offset))
    }
    for (member, there) in others {
      let owners = Set((members[member] ?? []).map(\.object))
      let isInAll = samples.count > 1 && there.count >= samples.count
      guard owners.isEmpty || isInAll, let lacking = own.indices.first(where: { !owners.contains($0) }) else {
        continue
      }
      let text =
        isInAll ? "in each of \(samples.count) samples from \(source)" : "at \(samples[there[0].object].place)"
      differences.append(
        ("\"\((path + [member]).joined(separator: "."))\" is \(text), and not here", own[lacking].offset))
    }
  }

  /// The members of objects by their names, each with the number of its object.
  private static func members(_ objects: [ValidJSON]) -> [String: [(object: Int, nameOffset: Int, value: ValidJSON)]] {
    var members: [String: [(object: Int, nameOffset: Int, value: ValidJSON)]] = [:]
    for (index, object) in objects.enumerated() {
      for (name, offset, value) in object.members ?? [] { members[name, default: []].append((index, offset, value)) }
    }
    return members
  }
}

extension ValueToken.Kind {
  fileprivate var word: String { self == .string ? "a text" : self == .array ? "a list" : description }
}

extension ValidJSON {
  fileprivate var text: String { JSONValue(self).string ?? "" }
  fileprivate var isInteger: Bool { JSONValue(self).int != nil }
}
