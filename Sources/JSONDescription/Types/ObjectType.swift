package import OrderedJSON

/// The members that the objects in one place have.
package struct ObjectType: Sendable, Hashable {
  /// The members, in order of their first appearance.
  package let members: [MemberType]

  package init(members: [MemberType]) {
    self.members = members
  }

  /// Infers the members of some objects; one that an object lacks is not required.
  ///
  /// - Parameter depth: The number of levels in which the members' values are nested.
  package init(of objects: [JSONObject], depth: Int = 0) {
    var names: [String] = []
    var values: [String: [JSONValue]] = [:]
    for object in objects {
      for (name, value) in object {
        if values[name] == nil { names.append(name) }
        values[name, default: []].append(value)
      }
    }
    members = names.map { name in
      let values = values[name] ?? []
      return MemberType(
        name: name, type: ValueType(of: values, depth: depth), isRequired: values.count == objects.count)
    }
  }

  /// The member of this name. O(n).
  package subscript(name: String) -> MemberType? {
    members.first { $0.name == name }
  }
}

/// A member of the objects in one place.
package struct MemberType: Sendable, Hashable {
  package let name: String
  package let type: ValueType
  /// Whether every object has it, even as `null`.
  package let isRequired: Bool

  package init(name: String, type: ValueType, isRequired: Bool) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
  }
}
