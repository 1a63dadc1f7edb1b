import HTTPTypes
import OrderedJSON

/// The body of an administrative request: a JSON object whose members are all known.
struct AdminBody {
  private let members: JSONObject

  /// Reads a body; an empty one has no members.
  init(_ request: Request) throws(RequestError) {
    guard !request.body.isEmpty else {
      members = JSONObject()
      return
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: request.body)
    } catch {
      throw RequestError(.malformed, "The body is not JSON: \(error).")
    }
    guard case .object(let members) = value else { throw RequestError(.malformed, "The body must be a JSON object.") }
    self.members = members
  }

  /// Refuses members that have no meaning, such as misspelt ones.
  func allow(only names: Set<String>) throws(RequestError) {
    guard let stranger = members.names.first(where: { !names.contains($0) }) else { return }
    throw RequestError(
      .malformed, "'\(stranger)' is not known here; there are \(names.sorted().joined(separator: ", ")).")
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
    guard let string = value.string else { throw Self.wrong(name, "a string") }
    return string
  }

  func bool(_ name: String) throws(RequestError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .bool(let bool) = value else { throw Self.wrong(name, "true or false") }
    return bool
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let integer = value.integer, range.contains(integer) else {
      throw Self.wrong(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  static func wrong(_ name: String, _ expectation: String) -> RequestError {
    RequestError(.malformed, "'\(name)' must be \(expectation).")
  }
}

extension AdminBody {
  /// The name of a snapshot to save; `nil` when there is none.
  func snapshotName() throws(RequestError) -> String? {
    try allow(only: ["name"])
    let name = try string("name")
    guard name?.isEmpty != true, name?.contains("/") != true else {
      throw Self.wrong("name", "a name without slashes")
    }
    return name
  }
}
