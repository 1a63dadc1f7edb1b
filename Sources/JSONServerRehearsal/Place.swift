import JSONDescription
import JSONServer
import JSONServerValues

/// A place in responses. It is the same in all responses that show a resource.
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

  /// The path within a record; empty for other places.
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

  /// Whether a request filters or sorts by the value in the place. Then the value must not change.
  func isChosen(by parameters: QueryParameters) -> Bool {
    guard let member = path.first else { return false }
    return parameters.items.contains { name, value in
      if name == "_sort" { return value.split(separator: ",").contains { $0.drop { $0 == "-" }.hasPrefix(member) } }
      let rest = name.hasPrefix(member) ? name.dropFirst(member.count) : "?"
      return name == "_where" || rest.first.map { "_:.[".contains($0) } ?? true
    }
  }
}

/// The values of the data in a place.
struct PlaceSample {
  /// The values that are not `null`, and the records of the resource.
  private(set) var (values, records): ([JSONValue], [JSONValue]) = ([], [])
  /// Whether the file has `null` there, or an object without the member.
  private(set) var isOptional = false
  /// The ids of the collection's records, and of records in other collections that refer to them, directly or not.
  private(set) var dependents: [String: Set<JSONValue>] = [:]
  private let idName: String
  private let type: ValueType

  init(of place: Place, in resources: [String: RecordWalk.Resource]) {
    let resource = resources[place.resource] ?? RecordWalk.Resource()
    (idName, records, values) = (resource.idName, resource.records, resource.records)
    switch place {
    case .list(let name):
      values = [.array(records)]
      var rest = [name]
      while let name = rest.popLast() {
        guard dependents[name] == nil, let resource = resources[name] else { continue }
        dependents[name] = Set(resource.records.compactMap { $0[resource.idName] })
        rest += resources.filter { $0.value.references.values.contains(name) }.keys
      }
    case .id: values = records.compactMap { $0[resource.idName] }
    case .member(_, let path):
      for step in path {
        isOptional = step != Place.element && values.contains { $0.object != nil && $0[step] == nil }
        values = values.flatMap { step == Place.element ? $0.array ?? [] : $0[step].map { [$0] } ?? [] }
      }
    case .error: values = []
    }
    isOptional = isOptional || values.contains(.null)
    values.removeAll { $0 == .null }
    // Ids, and references to them, are not texts or numbers with other possible values.
    let isID = if case .id = place { true } else { place.path.first.map { resource.references[$0] != nil } ?? false }
    type = ValueType(of: isID ? [] : values)
  }

  private var alternative: ValueType.Alternative? { type.alternatives.count == 1 ? type.alternatives[0] : nil }
  var texts: [String] { if case .string = alternative { values.compactMap(\.string) } else { [] } }
  var format: StringFormat? { if case .string(.formatted(let format)) = alternative { format } else { nil } }
  var isObject: Bool { if case .object = alternative { true } else { false } }
  var isList: Bool { !values.isEmpty && values.allSatisfy { $0.array != nil } }

  var numbers: [JSONNumber] {
    guard alternative == .integer || alternative == .number else { return [] }
    return values.compactMap { if case .number(let number) = $0 { number } else { nil } }
  }

  /// Whether there are texts of few kinds, each a word.
  var isEnumeration: Bool { format == nil && texts.areKinds }

  /// Whether there are texts for people: of several words, or different names.
  var isProse: Bool {
    guard format == nil, !texts.isEmpty else { return false }
    return texts.contains { $0.contains(" ") && $0.contains(where: \.isLetter) }
      || Set(texts).count == texts.count
        && texts.allSatisfy { $0.isWord && $0.first?.isUppercase == true && $0.contains(where: \.isLowercase) }
  }

  /// A value of an object whose members all have values of one kind; `nil` for any other object.
  var uniformMember: JSONValue? {
    let all = values.compactMap(\.object).flatMap { Array($0) }.map(\.value)
    return ValueType(of: all).alternatives.count == 1 ? all.first { $0 != .null } : nil
  }

  /// The first of some forms that fits the ids.
  func idForm(of place: Place, _ forms: [IDForm]) -> IDForm? {
    guard case .id = place else { return nil }
    return forms.first { form in values.contains { form.changed($0) != $0 } }
  }

  /// A record of a new kind, with the members that all records of a list share; `nil` for a list of one kind.
  ///
  /// Records have kinds when one of their members, with few different texts, decides about the other members.
  var newKind: JSONValue? {
    let objects = values.flatMap { $0.array ?? [] }.compactMap(\.object)
    func common(_ objects: [JSONObject]) -> [String] {
      (objects.first?.names ?? []).filter { name in objects.allSatisfy { $0[name] != nil } }
    }
    let shared = common(objects)
    let kind = (["type", "kind"] + shared).first { name in
      let kinds = Dictionary(grouping: objects) { $0[name]?.string ?? "" }
      return shared.contains(name) && name != idName && kinds.count > 1 && Array(kinds.keys).areKinds
        && Set(kinds.values.map { Set(common($0)) }).count > 1
    }
    guard let kind, let first = objects.first else { return nil }
    var record = JSONObject(shared.map { ($0, first[$0] ?? .null) })
    record[kind] = .string((first[kind]?.string ?? "") + "-2")
    return .object(record)
  }

  /// Adds records with new ids. Texts and addresses that are unique in all records stay unique.
  func adding(_ count: Int, to records: [JSONValue], _ record: (Int) -> JSONValue) -> [JSONValue] {
    var last = records.compactMap { $0[idName]?.int }.max() ?? 0
    let added = (0..<count).map { number -> JSONValue in
      guard var added = record(number).object else { return .null }
      last += 1
      for (name, value) in added {
        guard let text = value.string else { continue }
        let texts = records.compactMap { $0[name]?.string }
        if texts.areKinds && name != idName || Set(texts).count < records.count { continue }
        switch StringFormat(of: [text]) {
        case nil: added[name] = .string("\(text)-\(number + 2)")
        case .email?: added[name] = .string("\(number + 2).\(text)")
        case .uri?: added[name] = .string("\(text)?\(number + 2)")
        case .uuid?: added[name] = .string(text.dropLast(4) + "\(0x1000 + number)")
        case .dateTime?, .date?, .ipv4?: break
        }
      }
      if added[idName]?.int != nil { added[idName] = JSONValue(last) }
      return .object(added)
    }
    return records + added
  }
}

extension [String] {
  /// Whether these are words of few kinds: at most eight.
  fileprivate var areKinds: Bool { !isEmpty && allSatisfy { $0.utf8.count <= 40 && $0.isWord } && Set(self).count <= 8 }
}

extension String {
  /// Whether the text looks like a name in a program: a letter, then letters, digits and `._-`.
  fileprivate var isWord: Bool {
    first?.isLetter == true && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }
}
