import JSONServerValues

/// A JSON object in which all members must be known: the body of an administrative request, an object within it, or a
/// stub in a file.
struct AdminBody {
  private let members: JSONObject
  /// The place of the object in the text, as names and positions from the outside in.
  let place: [String]

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

  /// Refuses unknown members, such as misspelled ones.
  func allow(only names: Set<String>) throws(RequestError) {
    guard let stranger = members.names.first(where: { !names.contains($0) }) else { return }
    throw RequestError(
      .malformed, "'\(stranger)' is not known here; there are \(names.sorted().joined(separator: ", ")).",
      at: place + [stranger])
  }

  /// The object in a member, unless the member is missing or null.
  func object(_ name: String) throws(RequestError) -> AdminBody? {
    guard let value = value(name) else { return nil }
    guard let members = value.object else { throw wrong(name, "an object") }
    return AdminBody(members, at: place + [name])
  }

  /// The objects in a member, unless the member is missing or null.
  func objects(_ name: String) throws(RequestError) -> [AdminBody]? {
    guard let value = value(name) else { return nil }
    let objects = value.array?.compactMap(\.object) ?? []
    guard !objects.isEmpty, objects.count == value.array?.count else {
      throw wrong(name, "an array of at least one object")
    }
    return objects.enumerated().map { AdminBody($1, at: place + [name, String($0)]) }
  }

  /// The member with a name, unless it is missing or null.
  func value(_ name: String) -> JSONValue? {
    members[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// The member with a name, even if it is null.
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

  /// The error of a member with an invalid value.
  func wrong(_ name: String, _ expectation: String) -> RequestError {
    refusal(of: name, "must be \(expectation).")
  }

  /// The error of a member; the sentence continues after the member's name.
  func refusal(of name: String, _ sentence: String) -> RequestError {
    RequestError(.malformed, "'\(name)' \(sentence)", at: place + [name])
  }

  /// The name of a snapshot to save; `nil` for none.
  func snapshotName() throws(RequestError) -> String? {
    try allow(only: ["name"])
    let name = try string("name")
    guard name.map({ !["", ".", ".."].contains($0) && !$0.contains("/") }) ?? true else {
      throw wrong("name", "a name without slashes that is neither '.' nor '..'")
    }
    return name
  }

  /// The delay: milliseconds, or a range.
  func delay() throws(RequestError) -> ClosedRange<Duration>? {
    guard let value = value("delay") else { return nil }
    let bounds = value.array ?? [value, value]
    let limit = 0...600_000
    guard bounds.count == 2, let lower = bounds[0].int, let upper = bounds[1].int, lower <= upper,
      limit.contains(lower), limit.contains(upper)
    else { throw wrong("delay", "milliseconds up to 600000, or a range of them such as [100, 500]") }
    return .milliseconds(lower) ... .milliseconds(upper)
  }
}
