import JSONDescription
import JSONServerValues

/// A place in responses, which is the same in all of them that show a resource.
enum Place: Sendable, Hashable, CustomStringConvertible {
  /// The list of a collection's records.
  case list(of: String)
  /// The ids of a collection, in its own records and in those that refer to them.
  case id(of: String)
  /// A member of a resource's records, at any depth; the records themselves by an empty path.
  case member(of: String, [String])
  /// The bodies of errors.
  case error

  /// The step of a path that leads to the elements of a list.
  static let element = "*"

  /// The resource; empty for errors.
  var resource: String {
    switch self {
    case .list(let name), .id(let name), .member(let name, _): name
    case .error: ""
    }
  }

  /// The path within a record; empty for all else.
  var path: [String] { if case .member(_, let path) = self { path } else { [] } }

  /// `bookmarks.author.name`, `bookmarks.tags[]`, `bookmarks`, `errors`.
  var description: String {
    switch self {
    case .list(let name): name
    case .id(let name): "\(name).id"
    case .member(let name, let path): path.reduce(name) { $0 + ($1 == Self.element ? "[]" : ".\($1)") }
    case .error: "errors"
    }
  }

  /// Whether a request chooses or orders records by the value in the place, which then has to stay as it was asked for.
  func isChosen(by parameters: QueryParameters) -> Bool {
    guard let member = path.first else { return false }
    return parameters.items.contains { name, value in
      if name == "_sort" { return value.split(separator: ",").contains { $0.drop { $0 == "-" }.hasPrefix(member) } }
      return name == "_where"
        || name.hasPrefix(member) && name.dropFirst(member.count).first.map { "_:.[".contains($0) } ?? true
    }
  }
}

/// What the data has in a place.
struct PlaceSample {
  /// The values that are not `null`.
  let values: [JSONValue]
  /// Whether the file has `null` there, or an object without the member.
  let isOptional: Bool
  /// Whether the values are ids of other records.
  let isReference: Bool
  /// The member of the resource's records that holds their ids.
  let idName: String
  /// The records of the resource.
  let records: [JSONValue]

  private let type: ValueType

  /// The ids of the collection's records, and of those in other collections that refer to them, however far.
  let dependents: [String: Set<JSONValue>]

  init(of place: Place, in resources: [String: RecordWalk.Resource]) {
    let resource = resources[place.resource] ?? RecordWalk.Resource()
    (idName, records) = (resource.idName, resource.records)
    var (dependents, new): ([String: Set<JSONValue>], [String]) = ([:], [])
    if case .list(let name) = place { new = [name] }
    while let name = new.popLast() {
      guard dependents[name] == nil, let resource = resources[name] else { continue }
      dependents[name] = Set(resource.records.compactMap { $0[resource.idName] })
      new += resources.filter { $0.value.references.values.contains(name) }.keys
    }
    self.dependents = dependents
    isReference = place.path.first.map { resource.references[$0] != nil } ?? false
    var (found, lacking) = (resource.records, false)
    for step in place.path {
      found = found.flatMap { value -> [JSONValue] in
        if step == Place.element { return value.array ?? [] }
        guard let object = value.object else { return [] }
        if object[step] == nil { lacking = true }
        return object[step].map { [$0] } ?? []
      }
    }
    switch place {
    case .list: found = [.array(found)]
    case .id: found = found.compactMap { $0[resource.idName] }
    case .member, .error: break
    }
    isOptional = place.path.isEmpty ? false : lacking && place.path.last != Place.element || found.contains(.null)
    values = found.filter { $0 != .null }
    if case .id = place { type = ValueType(of: []) } else { type = ValueType(of: isReference ? [] : values) }
  }

  private var alternative: ValueType.Alternative? { type.alternatives.count == 1 ? type.alternatives[0] : nil }
  var texts: [String] { if case .string = alternative { values.compactMap(\.string) } else { [] } }
  var format: StringFormat? { if case .string(.formatted(let format)) = alternative { format } else { nil } }
  var isObject: Bool { if case .object = alternative { true } else { false } }
  var isList: Bool { !values.isEmpty && values.allSatisfy { $0.array != nil } }

  var numbers: [JSONNumber] {
    switch alternative {
    case .integer, .number: values.compactMap { if case .number(let number) = $0 { number } else { nil } }
    default: []
    }
  }

  /// The most kinds of texts that are few.
  private static let fewKinds = 8

  /// Whether there are texts of few kinds, each a word.
  var isEnumeration: Bool {
    guard format == nil, !texts.isEmpty, texts.allSatisfy({ $0.utf8.count <= 40 && $0.isWord }) else { return false }
    return Set(texts).count <= Self.fewKinds
  }

  /// Whether there are texts for people: of several words, or names.
  var isProse: Bool {
    guard format == nil, !texts.isEmpty else { return false }
    let isNames = Set(texts).count == texts.count && texts.allSatisfy { $0.isWord && $0.contains(where: \.isLowercase) }
    return isNames || texts.contains { $0.contains(" ") && $0.contains(where: \.isLetter) }
  }

  /// A value of an object whose members all have values of one kind; `nil` for any other object.
  var uniformMember: JSONValue? {
    let all = values.compactMap(\.object).flatMap { Array($0) }.map(\.value)
    return ValueType(of: all).alternatives.count == 1 ? all.first { $0 != .null } : nil
  }

  /// One of some forms that the ids can have.
  func idForm(of place: Place, _ forms: [IDForm]) -> IDForm? {
    guard case .id = place else { return nil }
    return forms.first { form in values.contains { form.changed($0) != $0 } }
  }

  /// A record as the list has none, with what all of its records have; `nil` for a list of one kind.
  ///
  /// Records have a kind when one of their members, a text of few kinds, says which others they have.
  var newKind: (name: String, kind: JSONValue, value: JSONValue)? {
    let records = values.flatMap { $0.array ?? [] }
    let objects = records.compactMap(\.object)
    guard objects.count == records.count, let first = objects.first else { return nil }
    let common = first.names.filter { name in objects.allSatisfy { $0[name] != nil } }
    for name in common.filter({ $0 != idName }).sorted(by: {
      ($0 == "type" || $0 == "kind") && $1 != "type" && $1 != "kind"
    }) {
      let kinds = Dictionary(grouping: objects) { $0[name] }
      guard kinds.count > 1, kinds.count <= Self.fewKinds, let kind = first[name]?.string,
        objects.allSatisfy({ $0[name]?.string?.isWord == true }),
        // Some member is in all records of one kind, and in none of another.
        kinds.values.contains(where: { one in
          let own = one[0].names.filter { member in one.allSatisfy { $0[member] != nil } }
          return kinds.values.contains { other in own.contains { member in other.allSatisfy { $0[member] == nil } } }
        })
      else { continue }
      var record = JSONObject(common.map { ($0, first[$0] ?? .null) })
      record[name] = .string(kind + "-2")
      return (name, .string(kind + "-2"), .object(record))
    }
    return nil
  }

  /// Adds records with ids of their own; texts that are different in all records stay so.
  func adding(
    _ count: Int, to records: [JSONValue], _ record: ([JSONValue], _ number: Int) -> JSONValue
  ) -> [JSONValue] {
    let objects = records.compactMap(\.object)
    let names = (objects.first?.names ?? []).filter { $0 != idName }
    let unique = names.filter { name in
      objects.count > 1 && Set(objects.map { $0[name]?.string }).count == objects.count
    }
    var last = objects.compactMap { $0[idName]?.int }.max() ?? 0
    return records
      + (0..<count).map { number -> JSONValue in
        guard var added = record(records, number).object else { return .null }
        last += 1
        if let id = added[idName] {
          added[idName] = id.string.map { .string("\($0)-\(number + 2)") } ?? JSONValue(last)
        }
        for name in unique {
          guard let text = added[name]?.string else { continue }
          switch StringFormat(of: [text]) {
          case nil: added[name] = .string("\(text)-\(number + 2)")
          case .email?: added[name] = .string("\(number + 2).\(text)")
          case .uri?: added[name] = .string("\(text)?\(number + 2)")
          case .uuid?:
            added[name] = .string(text.dropLast(4) + String(String(0x10000 + last % 0xFFFF, radix: 16).suffix(4)))
          case .dateTime?, .date?, .ipv4?: break
          }
        }
        return .object(added)
      }
  }
}

extension String {
  /// Whether it is what programs have as a name: a letter, then letters, digits and `._-`.
  var isWord: Bool {
    first?.isLetter == true && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }
}

/// The way through a response's JSON, from place to place.
struct RecordWalk: Sendable {
  /// What is known of a resource.
  struct Resource: Sendable {
    var isCollection = false
    var idName = ""
    var singular = ""
    /// A sample of the records.
    var records: [JSONValue] = []
    /// The members that records have of their own.
    var members: Set<String> = []
    /// The members that hold ids of another collection's records, and that collection.
    var references: [String: String] = [:]
  }

  let resources: [String: Resource]
  let wrapName: String?
  let ignoresCase: Bool

  /// What becomes of a value: `nil` takes it out.
  typealias Change = (Place, JSONValue) -> JSONValue?

  /// The name of a resource that a member or a segment names, in its plural or its singular.
  private func name(of member: String, orSingular: Bool = true) -> String? {
    if resources[member] != nil { return member }
    return resources.first {
      orSingular && $0.value.isCollection && $0.value.singular == member
        || ignoresCase && $0.key.lowercased() == member.lowercased()
    }?.key
  }

  /// Changes the values in a response to a request for a path.
  func map(_ body: JSONValue, of segments: [String], _ change: Change) -> JSONValue {
    let positions = segments.indices.filter { $0 % 2 == 0 && name(of: segments[$0], orSingular: false) != nil }
    guard let last = positions.last, let name = name(of: segments[last], orSingular: false),
      let resource = resources[name]
    else {
      // What names resources within: all data, and the user who signs in.
      guard let object = body.object else { return body }
      return .object(JSONObject(object.map { ($0.name, related($0.value, named: $0.name, change) ?? $0.value) }))
    }
    let rest = segments[(last + 1)...].dropFirst(resource.isCollection ? 1 : 0)
    if var page = body.object,
      let member = envelope(of: page, isList: resource.isCollection && last == segments.count - 1),
      let content = page[member]
    {
      let shown = map(content, of: segments, change)
      page[member] = shown
      if let (before, after) = content.array.flatMap({ old in shown.array.map { (old.count, $0.count) } }),
        before != after
      {
        // Of a shorter list this is all.
        for (name, value) in [("total", after), ("items", after), ("pages", 1), ("last", 1)] where page[name] != nil {
          page[name] = JSONValue(value)
        }
        if page["next"] != nil { page["next"] = .null }
      }
      return .object(page)
    }
    guard rest.isEmpty else {
      // A list inside a record has an address, too.
      let path = [String(rest.first ?? "")] + (rest.count > 1 || body.array == nil ? [Place.element] : [])
      return value(body, .member(of: name, path), change) ?? body
    }
    return list(body, name, change)
  }

  /// The member of a page, or of an object around all data, that holds it.
  private func envelope(of object: JSONObject, isList: Bool) -> String? {
    if let wrapName, object[wrapName] != nil { return wrapName }
    return isList && object["items"] != nil && object["pages"] != nil && object["data"]?.array != nil ? "data" : nil
  }

  /// The records of a list, or one record.
  private func list(_ value: JSONValue, _ name: String, _ change: Change) -> JSONValue {
    guard let records = value.array else { return record(value, name, change) ?? value }
    let changed = JSONValue.array(records.compactMap { record($0, name, change) })
    return change(.list(of: name), changed) ?? changed
  }

  /// Records inside others; `nil` for what is none.
  private func related(_ value: JSONValue, named member: String, _ change: Change) -> JSONValue? {
    guard let name = name(of: member), value.object != nil || value.array?.allSatisfy({ $0.object != nil }) == true
    else {
      return nil
    }
    return list(value, name, change)
  }

  /// A record with the changes of its members.
  func record(_ value: JSONValue, _ name: String, _ change: Change) -> JSONValue? {
    guard let resource = resources[name] else { return value }
    guard let object = value.object else { return self.value(value, .member(of: name, []), change) }
    var changed = JSONObject()
    for (member, value) in object {
      if resource.isCollection, member == resource.idName {
        changed[member] = change(.id(of: name), value)
      } else if !resource.members.contains(member), let records = related(value, named: member, change) {
        changed[member] = records
      } else {
        var value = value
        if let parent = resource.references[member] {
          func changedID(_ id: JSONValue) -> JSONValue { change(.id(of: parent), id) ?? id }
          if let ids = value.array {
            value = .array(ids.map { changedID($0) })
          } else if value != .null {
            value = changedID(value)
          }
        }
        changed[member] = self.value(value, .member(of: name, [member]), change)
      }
    }
    return change(.member(of: name, []), .object(changed))
  }

  /// A value within a record, from the inside out.
  private func value(_ value: JSONValue, _ place: Place, _ change: Change) -> JSONValue? {
    func inner(_ step: String) -> Place { .member(of: place.resource, place.path + [step]) }
    switch value {
    case .object(let object):
      let members = object.compactMap { name, value in self.value(value, inner(name), change).map { (name, $0) } }
      return change(place, .object(JSONObject(members)))
    case .array(let elements):
      return change(place, .array(elements.compactMap { self.value($0, inner(Place.element), change) }))
    case .null, .bool, .number, .string: return change(place, value)
    }
  }
}
