package import JSONServerValues

/// A problem of a body, which contradicts the data or its rules.
package struct Problem: Sendable, Hashable {
  /// The place, as names and positions from the outside in.
  package let place: [String]
  /// What is wrong, as the end of a sentence about the place.
  package let message: String

  /// Creates a problem in a place.
  package init(_ place: [String], _ message: String) {
    self.place = place
    self.message = message
  }

  /// The message about a member that is required and not there.
  package static let missing = "is missing"

  /// The place as a JSON Pointer (RFC 6901).
  package var pointer: String { JSONPointer.text(place) }

  /// The same problem, one level deeper.
  func below(_ name: String) -> Problem { Problem([name] + place, message) }
}

extension [Problem] {
  /// The problems as a part of a sentence: `/age must be a number; /name is missing`.
  ///
  /// - Parameter whole: What has a problem that is in no member.
  package func listed(whole: String = "") -> String {
    map { "\($0.place.isEmpty ? whole : $0.pointer) \($0.message)" }.joined(separator: "; ")
  }
}

/// The checks of new and changed records.
package struct Checks: Sendable {
  /// Whether the data is the example: for missing members, types and foreign keys.
  package var followsData = false
  /// The members with unique values, by resource.
  package var unique: [String: [String]] = [:]
  /// Finds the problems of a record, or of a single resource, by a schema.
  package var shape: (@Sendable (_ resource: String, _ isRecord: Bool, _ value: ValidJSON) -> [Problem])?

  /// Checks nothing.
  package init() {}

  /// Whether nothing is checked.
  package var isEmpty: Bool { !followsData && unique.isEmpty && shape == nil }
}

extension Database {
  /// The largest number of problems that are reported at a time.
  static let maximumProblems = 100

  /// Checks records that replace others or are new.
  ///
  /// - Parameter isPatched: Whether the records are the results of a patch, which is not to blame for what it leaves
  ///   (RFC 5789, section 2.2).
  /// - Throws: ``DatabaseError`` with all problems. The code is `contradiction`, or `conflict` for the results of a patch,
  ///   and when each problem is a foreign key whose record may appear later.
  func check(
    _ written: [(slot: Int?, record: ValidJSON)], at position: Int, isPatched: Bool = false
  ) throws(DatabaseError) {
    guard !schema.checks.isEmpty, let collection = entries[position].collection else { return }
    var (problems, dangling) = ([Problem](), [Problem]())
    let example = entries[position].example
    let replaced = Set(written.compactMap(\.slot))
    let keys = schema.checks.followsData ? foreignKeys(from: position) : []
    var seen: Set<[String]> = []
    for (_, record) in written where problems.count + dangling.count < Self.maximumProblems {
      var found: [Problem] = []
      if schema.checks.followsData {
        found += example?.contradictions(of: record, in: collection.name) ?? []
        for (key, parent) in keys { dangling += self.problems(of: key, to: parent, in: record, at: position) }
      }
      for member in schema.checks.unique[collection.name] ?? [] {
        found += collection.duplicates(of: member, in: record, besides: replaced, &seen, patience)
      }
      found += schema.checks.shape?(collection.name, true, record) ?? []
      problems += found.filter { !problems.contains($0) }
    }
    guard !problems.isEmpty || !dangling.isEmpty else { return }
    let all = problems + dangling.filter { !problems.contains($0) }
    throw DatabaseError(
      all, against: "the data of \(collection.name)", isPatched || problems.isEmpty ? .conflict : .contradiction)
  }

  /// Checks a single resource that replaces another one.
  ///
  /// - Throws: ``DatabaseError`` with all problems, as for records.
  func check(_ object: ValidJSON, at position: Int, isPatched: Bool) throws(DatabaseError) {
    guard !schema.checks.isEmpty else { return }
    let name = entries[position].name
    var problems: [Problem] = []
    if schema.checks.followsData {
      problems += (object.members ?? []).compactMap { member -> Problem? in
        let (kind, seen) = (member.value.kind, entries[position].example?.kinds(of: member.name).first)
        guard let seen, seen != .null, seen != kind else { return nil }
        return Problem([member.name], "is \(kind.description), and was \(seen.description)")
      }
    }
    problems += schema.checks.shape?(name, false, object) ?? []
    guard problems.isEmpty else {
      throw DatabaseError(problems, against: "the data of \(name)", isPatched ? .conflict : .contradiction)
    }
  }

  /// The foreign keys that a collection's records may have, with the positions of the collections to which they refer.
  private func foreignKeys(from position: Int) -> [(keys: [String], parent: Int)] {
    collectionPositions.flatMap { parent -> [(keys: [String], parent: Int)] in
      let (child, name) = (entries[position].name, entries[parent].name)
      // Where no record has a key yet, the new one may have any.
      return existingForeignKeys(in: position, to: name).isEmpty
        ? [(schema.keys(in: child, to: name).flatMap(\.self), parent)]
        : references(from: position, to: parent).map { ([$0.name], parent) }
    }
  }

  /// The problems of ids without a record, in the first of some members that a record has.
  private func problems(
    of keys: [String], to parent: Int, in record: ValidJSON, at position: Int
  ) -> [Problem] {
    guard let parents = entries[parent].collection, let ids = parents.ids(patience),
      let (key, value) = keys.lazy.compactMap({ key in record.member(Array(key.utf8)).map { (key, $0) } }).first
    else { return [] }
    let own = position == parent ? record.recordID(in: parents.idName) : nil
    let elements = value.elements
    return (elements ?? [value]).enumerated().compactMap { index, value in
      guard let id = value.withToken(\.recordID), id != own, ids.slot(of: id, in: parents.rows) == nil else {
        return nil
      }
      let place = elements == nil ? [key] : [key, String(index)]
      return Problem(place, "refers to no record: \(parents.name) has none with id \(id)")
    }
  }
}

/// The members of the data that is the example of checks.
struct MemberExample: Sendable {
  fileprivate let members: MemberSummary
  /// The number of records.
  fileprivate let count: Int

  init(members: MemberSummary, count: Int) { (self.members, self.count) = (members, count) }

  /// The names of the members.
  var names: [String] { members.names }

  /// The kinds of a member's values.
  func kinds(of name: String) -> [ValueToken.Kind] { members.kinds(of: Array(name.utf8)).seen }

  /// What texts become in a member.
  func textType(of name: [UInt8]) -> TextType? { members.kinds(of: name).textType }

  /// Whether every record has a member.
  func requires(_ name: String) -> Bool { members.kinds(of: Array(name.utf8)).count >= count }

  /// The differences of a record from the records of the example.
  ///
  /// - Parameter isWhole: Whether the record has all its members, and is no change of some.
  func contradictions(of record: ValidJSON, in resource: String, isWhole: Bool = true) -> [Problem] {
    var problems: [Problem] = []
    let given = record.members ?? []
    let present = Set(given.map { ByteExactKey($0.name) })
    for name in names where isWhole && !present.contains(ByteExactKey(name)) && requires(name) {
      problems.append(Problem([name], "is missing; every record of \(resource) has it"))
    }
    for member in given {
      let (kinds, kind) = (kinds(of: member.name), member.value.kind)
      // If all other values are null, nothing is known about the type.
      guard !kinds.isEmpty, kinds != [.null], !kinds.contains(kind) else { continue }
      let others = kinds.map(\.description).joined(separator: " or ")
      problems.append(Problem([member.name], "is \(kind.description); in \(resource) it is \(others)"))
    }
    return problems
  }
}

extension Database {
  /// The members of the data that a check compares with, in order: the kinds of their values, and whether all records
  /// had them; `nil` where nothing is compared.
  package func checkedMembers(
    of name: String
  ) -> [(name: String, kinds: [ValueToken.Kind], isRequired: Bool)]? {
    guard schema.checks.followsData, let position = try? position(of: name) else { return nil }
    let entry = entries[position]
    return entry.example.map { example in
      // The members of a single object may all be left out.
      example.names.map { ($0, example.kinds(of: $0), entry.collection != nil && example.requires($0)) }
    }
  }
}

extension RecordCollection {

  /// Whether a record shares the value of a member with another record, or with one that is written at the same time.
  ///
  /// - Parameter seen: The values of the records that are written at the same time.
  fileprivate func duplicates(
    of member: String, in record: ValidJSON, besides replaced: Set<Int>, _ seen: inout Set<[String]>,
    _ patience: Patience
  ) -> [Problem] {
    let path = FieldPath(member)
    func key(_ record: ValueToken) -> String? {
      // After a quote for a string, so that it differs from a number.
      path.value(in: record).flatMap { value in
        value.isNull ? nil : (value.kind == .string ? "\"" : "") + value.text
      }
    }
    guard let own = record.withToken(key), let text = record.withToken({ path.value(in: $0)?.text }) else {
      return []
    }
    let other = slots(where: path, equals: text, patience).first { slot in
      !replaced.contains(Int(slot)) && rows[Int(slot)]?.withRecord(key) == own
    }
    let id = other.flatMap { rows[Int($0)]?.id(named: idName)?.string }
    guard other != nil || !seen.insert([member, own]).inserted else { return [] }
    let holder = id.map { "\(name) \($0)" } ?? "another record of \(name)"
    return [Problem(member.split(separator: ".").map(String.init), "must be unique; \(holder) has it already")]
  }
}

extension DatabaseError {
  /// The error for bodies with problems.
  ///
  /// - Parameter facts: The things that the bodies contradict.
  init(_ problems: [Problem], against facts: String = "the data", _ code: Code = .contradiction) {
    self.init(code, "The body contradicts \(facts): \(problems.listed()).", problems)
  }
}
