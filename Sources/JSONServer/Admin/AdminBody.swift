import HTTPTypes
import JSONServerValues

/// A JSON object that a person wrote for the server, whose members are all known: the body of an administrative request, an
/// object within it, or one of a stubs file.
struct AdminBody {
  private let members: JSONObject
  /// Where the object is in the text, outermost name or position first.
  private let place: [String]

  /// Reads a body; an empty one has no members.
  init(_ request: Request) throws(RequestError) {
    guard !request.bytes.isEmpty else {
      self.init(JSONObject())
      return
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: request.bytes)
    } catch {
      throw RequestError(.malformed, "The body is not JSON: \(error).")
    }
    guard case .object(let members) = value else { throw RequestError(.malformed, "The body must be a JSON object.") }
    self.init(members)
  }

  init(_ members: JSONObject, at place: [String] = []) {
    self.members = members
    self.place = place
  }

  /// Refuses members that have no meaning, such as misspelled ones.
  func allow(only names: Set<String>) throws(RequestError) {
    guard let stranger = members.names.first(where: { !names.contains($0) }) else { return }
    throw RequestError(
      .malformed, "'\(stranger)' is not known here; there are \(names.sorted().joined(separator: ", ")).",
      at: place + [stranger])
  }

  /// The object that a member holds, when it is present and not null.
  func object(_ name: String) throws(RequestError) -> AdminBody? {
    guard let value = value(name) else { return nil }
    guard let members = value.object else { throw wrong(name, "an object") }
    return AdminBody(members, at: place + [name])
  }

  /// The objects that a member holds, when it is present and not null.
  func objects(_ name: String) throws(RequestError) -> [AdminBody]? {
    guard let value = value(name) else { return nil }
    let objects = value.array?.map(\.object)
    guard let objects, !objects.isEmpty, objects.allSatisfy({ $0 != nil }) else {
      throw wrong(name, "an array of at least one object")
    }
    return objects.enumerated().compactMap { index, members in
      members.map { AdminBody($0, at: place + [name, String(index)]) }
    }
  }

  /// The member with a name, when it is present and not null.
  func value(_ name: String) -> JSONValue? {
    members[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// The member with a name, even when it is null.
  func member(_ name: String) -> JSONValue? {
    members[name]
  }

  func string(_ name: String) throws(RequestError) -> String? {
    guard let value = value(name) else { return nil }
    guard let string = value.string else { throw wrong(name, "a string") }
    return string
  }

  func bool(_ name: String) throws(RequestError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .bool(let bool) = value else { throw wrong(name, "true or false") }
    return bool
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let integer = value.int, range.contains(integer) else {
      throw wrong(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// The refusal of a member's value.
  func wrong(_ name: String, _ expectation: String) -> RequestError {
    refusal(of: name, "must be \(expectation).")
  }

  /// The refusal of a member; the sentence goes on after its name.
  func refusal(of name: String, _ sentence: String) -> RequestError {
    RequestError(.malformed, "'\(name)' \(sentence)", at: place + [name])
  }

  /// The same error, about a member of this object instead of a member by itself.
  func placing(_ error: RequestError) -> RequestError {
    RequestError(error.code, error.message, at: place + error.place)
  }
}

extension AdminBody {
  /// The name of a snapshot to save; `nil` when there is none.
  func snapshotName() throws(RequestError) -> String? {
    try allow(only: ["name"])
    let name = try string("name")
    guard name?.isEmpty != true, name?.contains("/") != true else {
      throw wrong("name", "a name without slashes")
    }
    return name
  }
}

extension AdminBody {
  /// How long something waits: milliseconds, or a range of them.
  func delay() throws(RequestError) -> ClosedRange<Duration>? {
    guard let value = value("delay") else { return nil }
    let bounds = value.array ?? [value, value]
    let limit = 0...600_000
    guard bounds.count == 2, let lower = bounds[0].int, let upper = bounds[1].int, lower <= upper,
      limit.contains(lower), limit.contains(upper)
    else { throw wrong("delay", "milliseconds up to 600000, or a range of them such as [100, 500]") }
    return .milliseconds(lower) ... .milliseconds(upper)
  }

  /// How many requests something is for.
  func times() throws(RequestError) -> Int? { try integer("times", in: 1...1_000_000) }
}
