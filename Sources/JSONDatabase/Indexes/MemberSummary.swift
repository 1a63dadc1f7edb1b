import JSONServerValues

/// The members of a collection's records, and the kinds of their values, with counts.
///
/// Built at first use, and updated after each write with the members of the changed records.
struct MemberSummary: RowIndex {
  private struct Member: Sendable {
    let name: [UInt8]
    var kinds = ValueKinds()
  }

  private var members: [Member] = []
  private var places: [[UInt8]: Int] = [:]
  /// The number of members that no record has any more.
  private var emptyCount = 0

  /// Reads all rows. O(size of the records).
  init(rows: PersistentRowVector) {
    rows.forEach { _, row in count(row, 1) }
  }

  /// Reads one object.
  init(of object: ValidJSON) { count(Row(object), 1) }

  mutating func follow(_ changes: RowChanges) -> Bool {
    changes.forEachStep { count($0, $1) }
    // With so many members gone it is worth while to read all rows again.
    return emptyCount <= 1_024 || emptyCount <= members.count / 2
  }

  /// The names of the members that some record has, the first record's first.
  var names: [String] {
    members.filter { $0.kinds.count > 0 }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// The names among some that some record has. O(the smaller number of names).
  func names(among candidates: Set<[UInt8]>) -> [[UInt8]] {
    if candidates.count < members.count { return candidates.filter { kinds(of: $0).count > 0 } }
    return members.lazy.filter { $0.kinds.count > 0 && candidates.contains($0.name) }.map(\.name)
  }

  /// The kinds of the values of a member. O(1).
  func kinds(of name: [UInt8]) -> ValueKinds {
    places[name].map { members[$0].kinds } ?? ValueKinds()
  }

  private mutating func count(_ row: Row, _ step: Int) {
    row.withRecord { record in
      guard var reader = ObjectReader(record) else { return }
      // Most records have the same members in the same order.
      var expected = 0
      while let member = reader.next() {
        let isExpected = expected < members.count && member.isNamed(members[expected].name)
        let place = isExpected ? expected : place(of: member.name.unescapedContent)
        let before = members[place].kinds.count
        members[place].kinds.count(member.value, step)
        if members[place].kinds.count == 0 { emptyCount += 1 } else if before == 0, step > 0 { emptyCount -= 1 }
        expected = place + 1
      }
    }
  }

  private mutating func place(of name: [UInt8]) -> Int {
    if let place = places[name] { return place }
    places[name] = members.count
    members.append(Member(name: name))
    emptyCount += 1
    return members.count - 1
  }
}

/// The number of values of each kind.
struct ValueKinds: Sendable {
  /// The number of values.
  private(set) var count = 0
  private var nulls = 0
  private var booleans = 0
  private var numbers = 0
  private var objects = 0
  private var arrays = 0
  private var elements = 0
  private var booleanElements = 0
  private var numberElements = 0

  /// Adds a value, or removes it by a negative step.
  mutating func count(_ value: ValueToken, _ step: Int) {
    count += step
    switch value.kind {
    case .null: nulls += step
    case .bool: booleans += step
    case .number: numbers += step
    case .string: break
    case .object: objects += step
    case .array:
      arrays += step
      guard let array = ArrayReader(value) else { return }
      for element in array where !element.isNull {
        elements += step
        if element.kind == .bool { booleanElements += step }
        if element.kind == .number { numberElements += step }
      }
    }
  }

  /// The kinds that there are.
  var seen: [ValueToken.Kind] {
    let strings = count - nulls - booleans - numbers - arrays - objects
    let counts: [(ValueToken.Kind, Int)] = [
      (.string, strings), (.number, numbers), (.bool, booleans), (.array, arrays), (.object, objects), (.null, nulls),
    ]
    return counts.filter { $0.1 > 0 }.map(\.0)
  }

  /// Whether there is a list.
  var hasLists: Bool { arrays > 0 }

  /// What texts become where all these values agree, nulls apart; `nil` when there is none to follow.
  var textType: TextType? {
    let present = count - nulls
    if present == 0 { return nil }
    if numbers == present { return .scalar(.number) }
    if booleans == present { return .scalar(.boolean) }
    guard arrays == present else { return .scalar(.text) }
    if elements == 0 { return .list(nil) }
    return .list(numberElements == elements ? .number : booleanElements == elements ? .boolean : .text)
  }
}
