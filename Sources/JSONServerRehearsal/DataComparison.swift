import JSONDatabase
import JSONServerValues

/// Compares the data that runs of a client have left, apart from what the server makes: the ids of new records, members that
/// it fills, and the order of records. What differs between two undisturbed runs is left out, too.
struct DataComparison {
  private let start: Database
  private let expected: View
  /// The members that are left out, by resource, as paths.
  private var ignored: [String: Set<[String]>] = [:]
  /// The resources that are left out.
  private var ignoredResources: Set<String> = []

  init(from start: Database, _ undisturbed: [Database], fills: [Fill]) {
    self.start = start
    let views = undisturbed.map { View($0, since: start) }
    expected = views.first ?? View(start, since: start)
    for name in expected.resources.keys {
      for fill in fills where fill.resource == nil || fill.resource == name {
        ignored[name, default: []].insert([fill.member])
      }
    }
    for other in views.dropFirst() {
      for (name, value) in expected.resources { compare(name, value, other.resources[name] ?? .null, other) }
    }
  }

  /// Learns what differs between two undisturbed runs in a resource.
  private mutating func compare(_ name: String, _ value: JSONValue, _ other: JSONValue, _ others: View) {
    guard let records = value.array, let otherRecords = other.array else { return ignore(name, [], value, other) }
    guard records.count == otherRecords.count else {
      ignoredResources.insert(name)
      return
    }
    let forms = (records.map { form(of: $0, in: name, expected) }, otherRecords.map { form(of: $0, in: name, others) })
    let (left, right) = Self.unmatched(forms.0, forms.1)
    // Those that differ were made in the same order.
    for (first, second) in zip(left, right) { ignore(name, [], forms.0[first], forms.1[second]) }
  }

  private mutating func ignore(_ name: String, _ path: [String], _ value: JSONValue, _ other: JSONValue) {
    guard let members = value.object, let others = other.object else {
      if value != other {
        if path.isEmpty { ignoredResources.insert(name) } else { ignored[name, default: []].insert(path) }
      }
      return
    }
    for member in Set(members.names + others.names) {
      ignore(name, path + [member], members[member] ?? .null, others[member] ?? .null)
    }
  }

  /// What is first found to differ from the undisturbed run; `nil` when nothing does.
  func difference(of data: Database) -> (expected: String, found: String)? {
    let view = View(data, since: start)
    for name in expected.names where !ignoredResources.contains(name) {
      let (wanted, found) = (expected.resources[name] ?? .null, view.resources[name] ?? .null)
      guard let records = wanted.array, let others = found.array else {
        let forms = (form(of: wanted, in: name, expected), form(of: found, in: name, view))
        if forms.0 != forms.1 { return Self.texts(name, forms.0, forms.1) }
        continue
      }
      guard records.count == others.count else { return ("\(records.count)", "\(others.count) \(name)") }
      let forms = (records.map { form(of: $0, in: name, expected) }, others.map { form(of: $0, in: name, view) })
      let (left, right) = Self.unmatched(forms.0, forms.1)
      guard let first = left.first, let second = right.first else { continue }
      let idName = start.schema.idName(of: name)
      let same = right.first { forms.1[$0][idName] == forms.0[first][idName] } ?? second
      return Self.texts(name, forms.0[first], forms.1[same])
    }
    return nil
  }

  /// The members in which two values differ.
  private static func texts(_ name: String, _ wanted: JSONValue, _ found: JSONValue) -> (
    expected: String, found: String
  ) {
    guard let members = wanted.object, let others = found.object else {
      return (wanted.text(pretty: false), "\(name): \(found.text(pretty: false))")
    }
    let different = (members.names + others.names.filter { members[$0] == nil }).filter { members[$0] != others[$0] }
    func part(_ object: JSONObject) -> String {
      JSONValue.object(JSONObject(different.compactMap { name in object[name].map { (name, $0) } })).text(pretty: false)
    }
    return (part(members), "\(name): \(part(others))")
  }

  /// The positions of elements of two lists that the other list lacks.
  private static func unmatched(_ left: [JSONValue], _ right: [JSONValue]) -> ([Int], [Int]) {
    func positions(of elements: [JSONValue], lackingIn others: [JSONValue]) -> [Int] {
      var counts: [JSONValue: Int] = [:]
      for value in others { counts[value, default: 0] += 1 }
      return elements.indices.filter { index in
        counts[elements[index], default: 0] -= 1
        return counts[elements[index], default: 0] < 0
      }
    }
    return (positions(of: left, lackingIn: right), positions(of: right, lackingIn: left))
  }

  /// A record without what is left out, and with new records in place of their ids.
  private func form(of record: JSONValue, in name: String, _ view: View, depth: Int = 0) -> JSONValue {
    guard let members = record.object else { return record }
    let idName = start.schema.idName(of: name)
    let isNew = members[idName].map { !view.isOld($0, in: name) } ?? false
    var form = JSONObject()
    for (member, value) in members {
      if member == idName, isNew { continue }
      form[member] = kept(value, at: [member], in: name)
      if let parent = view.parents[name]?[member], form[member] != nil {
        form[member] = reference(value, to: parent, view, depth: depth)
      }
    }
    return .object(JSONObject(form.sorted { $0.name < $1.name }.map { ($0.name, $0.value) }))
  }

  private func kept(_ value: JSONValue, at path: [String], in name: String) -> JSONValue? {
    if ignored[name]?.contains(path) == true { return nil }
    guard let members = value.object else { return value }
    let pairs = members.compactMap { member, value in kept(value, at: path + [member], in: name).map { (member, $0) } }
    return .object(JSONObject(pairs.sorted { $0.0 < $1.0 }))
  }

  /// A reference to a record that was there at the start, or the record that was added since.
  private func reference(_ value: JSONValue, to parent: String, _ view: View, depth: Int) -> JSONValue {
    if let elements = value.array { return .array(elements.map { reference($0, to: parent, view, depth: depth) }) }
    guard value != .null, !view.isOld(value, in: parent) else { return value }
    guard let record = view.record(value, in: parent) else { return "missing" }
    return depth < 3 ? form(of: record, in: parent, view, depth: depth + 1) : "…"
  }

  /// The data at the end of a run.
  private struct View {
    let names: [String]
    let resources: [String: JSONValue]
    /// The collections that members refer to, by resource and member.
    let parents: [String: [String: String]]
    private let ids: [String: [String: JSONValue]]
    private let oldIDs: [String: Set<String>]

    init(_ data: Database, since start: Database) {
      let value = data.value.object ?? [:]
      names = value.names
      resources = Dictionary(value.map { ($0.name, $0.value) }) { $1 }
      parents = data.parents
      func byID(_ value: JSONValue, _ name: String) -> [String: JSONValue] {
        let records = value.array?.compactMap { record in
          record[data.schema.idName(of: name)].map { ($0.text(pretty: false), record) }
        }
        return Dictionary(records ?? []) { $1 }
      }
      ids = resources.reduce(into: [:]) { $0[$1.key] = byID($1.value, $1.key) }
      let old = start.value.object ?? [:]
      oldIDs = Dictionary(old.map { ($0.name, Set(byID($0.value, $0.name).keys)) }) { $1 }
    }

    func isOld(_ id: JSONValue, in name: String) -> Bool { oldIDs[name]?.contains(id.text(pretty: false)) == true }

    func record(_ id: JSONValue, in name: String) -> JSONValue? { ids[name]?[id.text(pretty: false)] }
  }
}
