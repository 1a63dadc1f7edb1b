package import JSONServerValues

/// The rules for filling members.
package struct Filler: Sendable {
  /// Fills nothing.
  package static let none = Filler([], ids: IDGenerator { "" }) { 0 }

  let rules: [Fill]
  let ids: IDGenerator
  /// The time, in milliseconds since 1970.
  private(set) var now: @Sendable () -> Int64

  /// Creates a filler.
  ///
  /// - Parameters:
  ///   - rules: The rules; the last rule for a member counts, and a rule for one resource comes before a rule for all.
  ///   - ids: Makes UUIDs.
  ///   - now: Returns the time, in milliseconds since 1970.
  package init(_ rules: [Fill], ids: IDGenerator, now: @escaping @Sendable () -> Int64) {
    // Rules for one resource come later, and so replace rules for all resources.
    self.rules = rules.filter { $0.resource == nil } + rules.filter { $0.resource != nil }
    self.ids = ids
    self.now = now
  }

  /// The same filler with another time.
  func later(by offset: Duration) -> Filler {
    guard offset != .zero else { return self }
    var other = self
    let milliseconds = Int64((offset / .milliseconds(1)).rounded())
    other.now = { [now] in now() + milliseconds }
    return other
  }

  /// The rules for a resource, at most one for each member.
  func rules(for resource: String, isCollection: Bool) -> [Fill] {
    var found: [Fill] = []
    for rule in rules where rule.resource == resource || rule.resource == nil && isCollection {
      found.removeAll { $0.member == rule.member }
      found.append(rule)
    }
    return found
  }
}

/// Fills members of the records of one resource.
struct Filling {
  private let rules: [Fill]
  private let filler: Filler
  /// The first records, with examples of times.
  private let examples: () -> [ValidJSON]
  private let nextNumber: (String) -> NumericID?
  /// The formats of times, and the last numbers, by member: one change may fill many records.
  private var forms: [String: DateForm] = [:]
  private var numbers: [String: NumericID] = [:]

  /// - Returns: `nil` when no rule applies.
  init?(of collection: RecordCollection, _ filler: Filler, _ patience: Patience) {
    self.init(filler, filler.rules(for: collection.name, isCollection: true).filter { $0.member != collection.idName })
    {
      collection.firstRecords(DateForm.exampleCount)
    } nextNumber: {
      collection.nextNumber(of: $0, patience)
    }
  }

  /// - Returns: `nil` when no rule applies.
  init?(ofObject name: String, _ object: ValidJSON, _ filler: Filler) {
    self.init(filler, filler.rules(for: name, isCollection: false)) {
      [object]
    } nextNumber: { member in
      object.withToken { object in object.member(Array(member.utf8)).flatMap(NumericID.init)?.next } ?? .integer(1)
    }
  }

  private init?(
    _ filler: Filler, _ rules: [Fill], examples: @escaping () -> [ValidJSON],
    nextNumber: @escaping (String) -> NumericID?
  ) {
    guard !rules.isEmpty else { return nil }
    (self.filler, self.rules, self.examples, self.nextNumber) = (filler, rules, examples, nextNumber)
  }

  /// Fills the missing members of a body that becomes a record; null counts as missing.
  ///
  /// - Parameter before: The record that it replaces, whose values are kept.
  mutating func fill(_ draft: inout ObjectDraft, replacing before: ValidJSON? = nil) {
    for rule in rules {
      if !rule.onEveryChange {
        if let own = draft[rule.member], !own.withToken(\.isNull) { continue }
        if let kept = before?.member(Array(rule.member.utf8)), !kept.withToken(\.isNull) {
          draft.set(rule.member, to: kept)
          continue
        }
      } else if before != nil {
        // As in every change of a record.
        continue
      }
      draft.set(rule.member, to: value(of: rule))
    }
  }

  /// A changed record, with the members that each change fills.
  mutating func refilled(
    _ record: ValidJSON, _ layout: JSONLayout, _ margins: ObjectDraft.Margins = .none
  ) -> ValidJSON {
    var draft = ObjectDraft()
    for rule in rules where rule.onEveryChange { draft.set(rule.member, to: value(of: rule)) }
    return draft.isEmpty ? record : draft.merged(into: record, layout, margins)
  }

  /// Returns the members, each with its value in a new record.
  mutating func members() -> [(name: String, value: ValidJSON, isOnEveryChange: Bool)] {
    rules.map { ($0.member, value(of: $0), $0.onEveryChange) }
  }

  private mutating func value(of rule: Fill) -> ValidJSON {
    switch rule.value {
    case .now:
      let form = forms[rule.member] ?? DateForm(of: rule.member, in: examples())
      forms[rule.member] = form
      return form.value(milliseconds: filler.now())
    case .uuid: return ValidJSON(writing: .string(filler.ids.uuid()))
    case .increment:
      let number = numbers[rule.member].map { $0.next ?? $0 } ?? nextNumber(rule.member) ?? .integer(1)
      numbers[rule.member] = number
      return ValidJSON(writing: number.value)
    case .constant(let value): return ValidJSON(writing: value)
    }
  }
}

extension Database {
  /// The filled members of a resource's records, each with its value in a new record.
  package func filledMembers(of name: String) -> [(name: String, value: ValidJSON, isOnEveryChange: Bool)] {
    guard let position = try? position(of: name) else { return [] }
    if case .singular(let object) = entries[position].resource {
      var filling = Filling(ofObject: name, object, schema.filler.later(by: clockOffset))
      return filling?.members() ?? []
    }
    var filling = filling(at: position)
    return filling?.members() ?? []
  }

  /// The filling of a collection's records; `nil` for none.
  func filling(at position: Int) -> Filling? {
    guard !schema.filler.rules.isEmpty else { return nil }
    return entries[position].collection.flatMap { Filling(of: $0, schema.filler.later(by: clockOffset), patience) }
  }
}
