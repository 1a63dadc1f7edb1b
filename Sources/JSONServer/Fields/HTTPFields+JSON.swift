import HTTPTypes
import OrderedJSON

extension HTTPFields {
  /// The fields as an object; the values of a name that stands more than once are joined.
  var members: JSONObject {
    var members = JSONObject()
    for field in self {
      let earlier = members[field.name.rawName]?.string.map { $0 + ", " } ?? ""
      members[field.name.rawName] = .string(earlier + field.value)
    }
    return members
  }
}
