import JSONDatabase
import JSONServerValues

/// A JSON object in which all members must be known: the body of an administrative request, an object within it, or a
/// stub in a file.
package struct StrictObject {
  private let members: JSONObject
  /// The place of the object in the text, as names and positions from the outside in.
  package let place: [String]

  /// Reads a body; an empty one has no members.
  package init(_ request: Request) throws(RequestError) {
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

  package init(_ members: JSONObject, at place: [String] = []) {
    self.members = members
    self.place = place
  }

  /// The members of another object, changed by this one as by a merge patch (RFC 7396).
  package func merged(into object: JSONObject) -> StrictObject {
    StrictObject(JSONValue.object(members).merged(into: .object(object)).object ?? JSONObject())
  }

  /// The object without a member.
  package func without(_ name: String) -> StrictObject {
    var members = members
    members[name] = nil
    return StrictObject(members, at: place)
  }

  /// Refuses unknown members, such as misspelled ones.
  package func allow(only names: Set<String>) throws(RequestError) {
    guard let stranger = members.names.first(where: { !names.contains($0) }) else { return }
    throw RequestError(
      .malformed, "'\(stranger)' is not known here; there are \(names.sorted().joined(separator: ", ")).",
      at: place + [stranger])
  }

  /// The object in a member, unless the member is missing or null.
  package func object(_ name: String) throws(RequestError) -> StrictObject? {
    guard let value = value(name) else { return nil }
    guard let members = value.object else { throw wrong(name, "an object") }
    return StrictObject(members, at: place + [name])
  }

  /// The objects in a member, unless the member is missing or null.
  package func objects(_ name: String) throws(RequestError) -> [StrictObject]? {
    guard let value = value(name) else { return nil }
    let objects = value.array?.compactMap(\.object) ?? []
    guard !objects.isEmpty, objects.count == value.array?.count else {
      throw wrong(name, "an array of at least one object")
    }
    return objects.enumerated().map { StrictObject($1, at: place + [name, String($0)]) }
  }

  /// The member with a name, unless it is missing or null.
  package func value(_ name: String) -> JSONValue? {
    guard let value = members[name], value != .null else { return nil }
    return value
  }

  /// The member with a name, even if it is null.
  package func member(_ name: String) -> JSONValue? {
    members[name]
  }

  package func string(_ name: String) throws(RequestError) -> String? {
    guard let value = value(name) else { return nil }
    guard let string = value.string else { throw wrong(name, "a string") }
    return string
  }

  package func bool(_ name: String) throws(RequestError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .bool(let bool) = value else { throw wrong(name, "true or false") }
    return bool
  }

  package func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let integer = value.int, range.contains(integer) else {
      throw wrong(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// The error of a member with an invalid value.
  package func wrong(_ name: String, _ expectation: String) -> RequestError {
    refusal(of: name, "must be \(expectation).")
  }

  /// The error of a member; the sentence continues after the member's name.
  package func refusal(of name: String, _ sentence: String) -> RequestError {
    RequestError(.malformed, "'\(name)' \(sentence)", at: place + [name])
  }
}
