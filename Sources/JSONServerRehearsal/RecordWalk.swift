import JSONServer
import JSONServerValues

/// Walks through the places of a response's JSON.
struct RecordWalk: Sendable {
  /// A resource of the data.
  struct Resource: Sendable {
    var isCollection = false
    var idName = ""
    var singular = ""
    /// A sample of the records, and the members that they have of their own.
    var records: [JSONValue] = []
    var members: Set<String> = []
    /// The members that hold ids of another collection's records, and that collection.
    var references: [String: String] = [:]
  }

  let resources: [String: Resource]
  let wrapName: String?
  let ignoresCase: Bool

  /// Returns the new value; `nil` removes the value.
  typealias Change = (Place, JSONValue) -> JSONValue?

  /// The resource that a segment or a member names. A member may have the singular of a collection's name.
  private func name(of text: String, orSingular: Bool = false) -> String? {
    if resources[text] != nil { return text }
    return resources.first { name, resource in
      orSingular && resource.isCollection && resource.singular == text
        || ignoresCase && name.lowercased() == text.lowercased()
    }?.key
  }

  /// Changes the values in a response to a request for a path.
  func map(_ body: JSONValue, of segments: [String], _ change: Change) -> JSONValue {
    guard let last = segments.indices.last(where: { $0 % 2 == 0 && name(of: segments[$0]) != nil }),
      let name = name(of: segments[last]), let resource = resources[name]
    else {
      // An object whose members are resources: all data, and the user who signs in.
      guard let object = body.object else { return body }
      return .object(JSONObject(object.map { ($0.name, related($0.value, named: $0.name, change) ?? $0.value) }))
    }
    let rest = segments[(last + 1)...].dropFirst(resource.isCollection ? 1 : 0)
    if let page = body.object, let member = envelope(of: page), let content = page[member] {
      return .object(shortened(page, member, content, map(content, of: segments, change)))
    }
    guard let member = rest.first else { return list(body, name, change) }
    // A list inside a record has an address, too.
    let path = [member] + (rest.count > 1 || body.array == nil ? [Place.element] : [])
    return value(body, .member(of: name, path), change) ?? body
  }

  /// The member of a page of 1.0, or of an object around all data, that holds it.
  private func envelope(of object: JSONObject) -> String? {
    if let wrapName, object[wrapName] != nil { return wrapName }
    return object["items"] != nil && object["pages"] != nil && object["data"]?.array != nil ? "data" : nil
  }

  /// A page with a changed list. A list of another length is the only page.
  private func shortened(_ page: JSONObject, _ member: String, _ old: JSONValue, _ new: JSONValue) -> JSONObject {
    var page = page
    page[member] = new
    guard let count = new.array?.count, count != old.array?.count else { return page }
    for (name, value) in [("total", count), ("items", count), ("pages", 1), ("last", 1)] where page[name] != nil {
      page[name] = JSONValue(value)
    }
    if page["next"] != nil { page["next"] = .null }
    return page
  }

  /// The records of a list, or one record.
  private func list(_ value: JSONValue, _ name: String, _ change: Change) -> JSONValue {
    guard let records = value.array else { return record(value, name, change) ?? value }
    let changed = JSONValue.array(records.compactMap { record($0, name, change) })
    return change(.list(of: name), changed) ?? changed
  }

  /// Records inside other records; `nil` for any other value.
  private func related(_ value: JSONValue, named member: String, _ change: Change) -> JSONValue? {
    guard let name = name(of: member, orSingular: true),
      value.object != nil || value.array?.allSatisfy({ $0.object != nil }) == true
    else { return nil }
    return list(value, name, change)
  }

  /// A record with the changes of its members.
  func record(_ value: JSONValue, _ name: String, _ change: Change) -> JSONValue? {
    guard let resource = resources[name], let object = value.object else {
      return self.value(value, .member(of: name, []), change)
    }
    var changed = JSONObject()
    for (member, value) in object {
      func id(of collection: String, _ id: JSONValue) -> JSONValue { change(.id(of: collection), id) ?? id }
      if resource.isCollection, member == resource.idName {
        changed[member] = id(of: name, value)
      } else if !resource.members.contains(member), let records = related(value, named: member, change) {
        changed[member] = records
      } else {
        var value = value
        if let parent = resource.references[member], value != .null {
          value = value.array.map { .array($0.map { id(of: parent, $0) }) } ?? id(of: parent, value)
        }
        changed[member] = self.value(value, .member(of: name, [member]), change)
      }
    }
    return change(.member(of: name, []), .object(changed))
  }

  /// A value within a record, from the inside out.
  private func value(_ value: JSONValue, _ place: Place, _ change: Change) -> JSONValue? {
    func inner(_ value: JSONValue, _ step: String) -> JSONValue? {
      self.value(value, .member(of: place.resource, place.path + [step]), change)
    }
    if let elements = value.array { return change(place, .array(elements.compactMap { inner($0, Place.element) })) }
    guard let object = value.object else { return change(place, value) }
    return change(
      place, .object(JSONObject(object.compactMap { name, value in inner(value, name).map { (name, $0) } })))
  }
}
