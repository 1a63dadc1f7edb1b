import JSONDatabase
package import JSONServerValues
import TextMatching

extension JSONSchema {
  /// Makes a value that some schemas allow: const, enum, default, example, then the smallest one.
  ///
  /// - Parameters:
  ///   - index: The number of the value; values of different numbers differ where the schemas let them.
  ///   - isWhole: Whether the value has all members, not only those that are required.
  ///   - isNew: Whether the value is none of the examples, such as a new id.
  /// - Returns: `nil` when no value was found; then most likely nothing satisfies the schemas.
  package func sample(
    _ ids: [ID], _ index: Int = 0, _ direction: Direction = .response, isWhole: Bool = false,
    isNew: Bool = false, depth: Int = 0
  ) -> JSONValue? {
    guard depth < 12 else { return nil }
    let shape = shape(ids)
    let nodes = shape.parts.map { self.nodes[$0] }
    let values = nodes.compactMap { $0.values }.first.map { $0.indices.contains(index) ? [$0[index]] + $0 : $0 } ?? []
    let given = values + (isNew ? [] : nodes.compactMap { $0.standard } + nodes.flatMap { $0.examples })
    if let value = given.lazy.map({ self.projected($0, by: ids) }).first(where: { self.allows($0, by: ids, direction) })
    {
      return value
    }
    // An open choice becomes its first schema that leads to a value.
    if let choices = shape.choices.first {
      for choice in choices {
        let value = sample(ids + [choice], index, direction, isWhole: isWhole, isNew: isNew, depth: depth + 1)
        if let value, allows(value, by: ids, direction) { return value }
      }
    }
    let types = shape.types == .all ? types(of: ids) : shape.types
    for (_, type) in Types.names where types.contains(type) {
      for make in candidates(of: type, shape, nodes, index, direction, isWhole: isWhole, depth: depth) {
        if let value = make(), allows(value, by: ids, direction) { return value }
      }
    }
    return nil
  }

  /// The values to try, each of which is made when those before are not allowed.
  private func candidates(
    of type: Types, _ shape: Shape, _ nodes: [Node], _ index: Int, _ direction: Direction, isWhole: Bool, depth: Int
  ) -> [() -> JSONValue?] {
    switch type {
    case .null: [{ .null }]
    case .boolean: [{ true }, { false }]
    case .integer, .number: numbers(nodes, index, isInteger: type == .integer).map { value in { value } }
    case .string: texts(nodes, index).map { text in { .string(text) } }
    case .array: [false, true].map { isFilled in { array(nodes, direction, isFilled: isFilled, depth: depth) } }
    default:
      // A member that refers to its own kind again is left out, unless it is required.
      // A condition may require members that 'required' does not name.
      [isWhole && depth < 3, false, depth < 3].map { isWhole in
        { object(shape, nodes, index, direction, isWhole: isWhole, depth: depth) }
      }
    }
  }

  private func object(
    _ shape: Shape, _ nodes: [Node], _ index: Int, _ direction: Direction, isWhole: Bool, depth: Int
  ) -> JSONValue? {
    var members = JSONObject()
    let properties = shape.properties.map(\.name) + shape.required.filter { shape.positions[$0] == nil }
    for name in properties {
      let position = shape.positions[name]
      let ids = position.map { shape.properties[$0].ids } ?? []
      let isRequired = shape.required.contains(name)
      guard isRequired || isWhole, !isAway(ids, direction) else { continue }
      let value = ids.isEmpty ? "string" : sample(ids, index, direction, isWhole: isWhole, depth: depth + 1)
      if value == nil, isRequired { return nil }
      members[name] = value
    }
    let least = nodes.compactMap { $0.members.least }.max() ?? 0
    let additional = nodes.compactMap { $0.additional }.first
    for number in 1...max(least, 1) where members.count < least {
      members["member\(number)"] =
        additional.map { sample([$0], number, direction, depth: depth + 1) ?? .null } ?? "string"
    }
    return .object(members)
  }

  private func array(_ nodes: [Node], _ direction: Direction, isFilled: Bool, depth: Int) -> JSONValue {
    let least = nodes.compactMap { $0.counts.least }.max() ?? 0
    let prefix = nodes.first { !$0.prefix.isEmpty }?.prefix ?? []
    let items = nodes.compactMap { $0.items }
    let contains = nodes.compactMap { $0.contains }
    let elements = (0..<min(isFilled ? max(least, prefix.count, 1) : least, 1000)).compactMap { index -> JSONValue? in
      let ids = index < prefix.count ? [prefix[index]] : index == 0 ? items + contains : items
      return ids.isEmpty ? .number(JSONNumber(index)) : sample(ids, index, direction, depth: depth + 1)
    }
    return .array(elements)
  }

  private func numbers(_ nodes: [Node], _ index: Int, isInteger: Bool) -> [JSONValue] {
    let step = nodes.compactMap { $0.step }.max()
    let least = nodes.compactMap { $0.least }.max { $0.value.doubleValue < $1.value.doubleValue }
    let most = nodes.compactMap { $0.most }.min { $0.value.doubleValue < $1.value.doubleValue }
    let unit = step ?? 1
    var start = 0.0
    if let least { start = (least.value.doubleValue / unit).rounded(.up) * unit }
    if let least, least.isExclusive, start <= least.value.doubleValue { start += unit }
    if least.map({ $0.value.doubleValue < 0 }) ?? true { start = 0 }
    if let most, start > most.value.doubleValue || most.isExclusive && start == most.value.doubleValue {
      start = (most.value.doubleValue / unit).rounded(.down) * unit
      if most.isExclusive, start >= most.value.doubleValue { start -= unit }
    }
    let middle = least.flatMap { least in most.map { (least.value.doubleValue + $0.value.doubleValue) / 2 } }
    let values = [
      start + Double(index) * unit, start, isInteger ? nil : middle, least?.value.doubleValue, most?.value.doubleValue,
    ]
    return values.compactMap { $0.flatMap { JSONNumber($0) }.map(JSONValue.number) }
  }

  private func texts(_ nodes: [Node], _ index: Int) -> [String] {
    let least = nodes.compactMap { $0.lengths.least }.max() ?? 0
    let most = nodes.compactMap { $0.lengths.most }.min() ?? Int.max
    var texts: [String] = []
    if let format = nodes.compactMap({ $0.format }).first, let known = Format.known[format] {
      texts.append(known.sample(index))
    }
    for pattern in nodes.compactMap({ $0.pattern?.text }) {
      guard let node = try? PatternNode(parsing: pattern, ignoresCase: false) else { continue }
      for extra in [index, 0, 1, least, max(least - 1, 0)] {
        var generator = PatternSample(index: index, extra: extra)
        texts.append(generator.text(of: node))
      }
    }
    for word in index == 0 ? ["string"] : ["string\(index)", String(index)] {
      let padded = word + String(repeating: "a", count: min(max(least - word.count, 0), 100_000))
      texts.append(padded.count > most ? String(padded.suffix(most)) : padded)
    }
    return texts
  }
}

/// Makes a text that a pattern matches.
private struct PatternSample {
  /// The number of the text: it chooses the characters of sets, so that texts differ.
  var index: Int
  /// How often a part is repeated beyond what it must be, at most.
  var extra: Int

  mutating func text(of node: PatternNode) -> String {
    switch node {
    case .scalar(let scalar): return String(Character(scalar))
    case .set(let set):
      // The last digit of the number, in as many characters as the set has of one kind.
      let ranges = set.ranges.filter { $0.upperBound >= 0x20 && $0.lowerBound < 0x7F }
      let letters =
        ranges.first { "0aA".unicodeScalars.map(\.value).contains($0.lowerBound) } ?? ranges.first ?? set.ranges.first
      guard let letters else { return "" }
      let first = max(letters.lowerBound, 0x21)
      let count = letters.upperBound >= first ? letters.upperBound - first + 1 : 1
      let offset = UInt32(index) % count
      index /= Int(count)
      return Unicode.Scalar(min(first + offset, letters.upperBound)).map { String(Character($0)) } ?? ""
    case .assertion: return ""
    case .sequence(let nodes): return nodes.reversed().map { text(of: $0) }.reversed().joined()
    case .alternation(let nodes): return nodes.first.map { text(of: $0) } ?? ""
    case .repetition(let node, let minimum, let maximum, _):
      let count = min(
        max(minimum, minimum == 0 && maximum != 1 ? extra : max(minimum, extra)), maximum ?? Int.max, 10_000)
      return (0..<max(count, minimum)).map { _ in text(of: node) }.reversed().joined()
    case .group(_, let node): return text(of: node)
    }
  }
}
