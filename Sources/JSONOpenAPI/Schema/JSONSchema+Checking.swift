package import JSONDatabase
import JSONDescription
package import JSONServerValues
import TextMatching

extension JSONSchema {
  /// Finds the problems of a value.
  package func problems(
    of value: JSONValue, by ids: [ID], at place: [String] = [], _ direction: Direction = .stored
  ) -> [Problem] {
    var problems: [Problem] = []
    for id in ids { check(value, by: id, at: place, direction, &problems) }
    return problems
  }

  package func allows(_ value: JSONValue, by ids: [ID], _ direction: Direction = .stored) -> Bool {
    problems(of: value, by: ids, direction).isEmpty
  }

  private func check(
    _ value: JSONValue, by id: ID, at place: [String], _ direction: Direction, _ problems: inout [Problem],
    within outer: [ID] = []
  ) {
    // A schema that leads back to itself without a member between allows whatever the rest of it allows.
    guard !outer.contains(id) else { return }
    let (node, around) = (nodes[id], outer + [id])
    func fail(_ message: String) { problems.append(Problem(place, message)) }
    func passes(_ id: ID) -> Bool {
      var found: [Problem] = []
      check(value, by: id, at: place, direction, &found, within: around)
      return found.isEmpty
    }
    if node.isNever { return fail("is not allowed") }
    // An `enum` without null forbids null, whatever else allows it.
    if node.isNullable, value == .null, node.values?.contains(.null) != false { return }
    for part in node.allOf + [node.reference].compactMap(\.self) {
      check(value, by: part, at: place, direction, &problems, within: around)
    }
    // Other keywords do not report a value of another type again.
    guard node.types.isSuperset(of: value.type) || node.types.contains(.number) && value.type == .integer else {
      return fail("must be of type \(node.types.text)")
    }
    if let values = node.values, !values.contains(value) {
      fail(
        values.count == 1
          ? "must be \(values[0].text(pretty: false))"
          : "must be one of \(values.map { $0.text(pretty: false) }.joined(separator: ", "))")
    }
    if !node.anyOf.isEmpty, !node.anyOf.contains(where: passes) {
      fail("must be valid by one of the schemas of 'anyOf'")
    }
    if !node.oneOf.isEmpty {
      let count = node.oneOf.filter(passes).count
      if count != 1 {
        fail("must be valid by exactly one of the schemas of 'oneOf', and is by \(count == 0 ? "none" : "\(count)")")
      }
    }
    if let not = node.not, passes(not) { fail("must not be valid by the schema of 'not'") }
    if let (test, then, otherwise) = node.condition, let id = passes(test) ? then : otherwise {
      check(value, by: id, at: place, direction, &problems, within: around)
    }
    switch value {
    case .string(let text): check(text, by: node, fail)
    case .number(let number): check(number, by: node, fail)
    case .array(let elements):
      check(elements.count, "items", in: node.counts, fail)
      if node.isUnique, Set(elements).count < elements.count { fail("must have no element twice") }
      for (index, element) in elements.enumerated() {
        guard let id = index < node.prefix.count ? node.prefix[index] : node.items else { continue }
        check(element, by: id, at: place + [String(index)], direction, &problems)
      }
      if let id = node.contains, !elements.contains(where: { allows($0, by: [id], direction) }) {
        fail("must contain an element that the schema of 'contains' allows")
      }
    case .object(let members): check(members, by: id, at: place, direction, &problems)
    case .null, .bool: break
    }
  }

  private func check(
    _ members: JSONObject, by id: ID, at place: [String], _ direction: Direction, _ problems: inout [Problem]
  ) {
    let node = nodes[id]
    for name in node.required where members[name] == nil {
      if direction != .stored, isAway(property(name, of: [id]), direction) { continue }
      problems.append(Problem(place + [name], Problem.missing))
    }
    for (name, needs) in node.dependentRequired where members[name] != nil {
      for needed in needs where members[needed] == nil {
        problems.append(Problem(place + [needed], "is missing, since '\(name)' is there"))
      }
    }
    check(members.count, "members", in: node.members) { problems.append(Problem(place, $0)) }
    let known = node.closesAll ? Set(properties(of: [id]).map(\.name)) : []
    for (name, member) in members {
      let place = place + [name]
      if let names = node.names, !allows(.string(name), by: [names]) {
        problems.append(Problem(place, "has a name that is not allowed"))
      }
      var ids = node.patterns.filter { $0.pattern.matches(name) }.map(\.id)
      if let id = node.positions[name] { ids.append(id) }
      if direction == .request, !ids.isEmpty, isReadOnly(ids) { continue }
      if ids.isEmpty, node.closesAll, !known.contains(name) {
        problems.append(Problem(place, "is not a known member"))
      } else if ids.isEmpty, let additional = node.additional {
        if nodes[additional].isNever {
          problems.append(Problem(place, "is not a known member"))
        } else {
          ids = [additional]
        }
      }
      for id in ids { check(member, by: id, at: place, direction, &problems) }
    }
  }

  private func check(_ text: String, by node: Node, _ fail: (String) -> Void) {
    check(text.unicodeScalars.count, "characters", in: node.lengths, fail)
    if let pattern = node.pattern, !pattern.matcher.matches(text) { fail("must match the pattern \(pattern.text)") }
    if let format = node.format, Format.known[format]?.allows(text) == false { fail("must be in the format \(format)") }
  }

  private func check(_ number: JSONNumber, by node: Node, _ fail: (String) -> Void) {
    // The value of an integer without a bound is not needed.
    guard node.least != nil || node.most != nil || node.step != nil || node.format != nil else { return }
    let value = number.doubleValue
    if let (least, isExclusive) = node.least, isExclusive ? value <= least.doubleValue : value < least.doubleValue {
      fail("must be \(isExclusive ? "more than" : "at least") \(least.text)")
    }
    if let (most, isExclusive) = node.most, isExclusive ? value >= most.doubleValue : value > most.doubleValue {
      fail("must be \(isExclusive ? "less than" : "at most") \(most.text)")
    }
    if let step = node.step, step > 0 {
      let ratio = value / step
      // As many digits as doubles have: 0.3 is a multiple of 0.1.
      if !ratio.isFinite || abs(ratio - ratio.rounded()) > 1e-14 * abs(ratio) {
        fail("must be a multiple of \(JavaScriptNumber.text(of: step))")
      }
    }
    if node.format == "int32", value.rounded() == value, Int32(exactly: value) == nil {
      fail("must be in the format int32")
    }
    if node.format == "int64", value.rounded() == value, abs(value) >= 0x1p63, number.integerValue == nil {
      fail("must be in the format int64")
    }
  }

  private func check(_ count: Int, _ unit: String, in counts: Counts, _ fail: (String) -> Void) {
    if let least = counts.least, count < least { fail("must have at least \(least) \(unit), and has \(count)") }
    if let most = counts.most, count > most { fail("must have at most \(most) \(unit), and has \(count)") }
  }
}

extension JSONSchema.Types {
  /// The names: `string or null`.
  var text: String { Self.names.filter { contains($0.type) }.map(\.name).joined(separator: " or ") }
}

extension JSONValue {
  /// The narrowest type.
  var type: JSONSchema.Types {
    switch self {
    case .null: .null
    case .bool: .boolean
    case .number(let number) where number.integerValue != nil: .integer
    case .number(let number): number.doubleValue.rounded() == number.doubleValue ? .integer : .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }
}
