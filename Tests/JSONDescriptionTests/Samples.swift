import JSONDescription
import JSONServerValues

/// The resources of a JSON text, as the server would pass them.
struct Samples {
  let resources: [ResourceType]
  let relations: [ResourceRelation]

  init(_ text: String) throws {
    let data = try JSONValue(parsing: text).object ?? JSONObject()
    resources = data.map { name, value in
      ResourceType(
        name: name, kind: value.array == nil ? .object : .collection, idName: name == "odd things" ? "_id" : "id",
        records: value.array ?? [value])
    }
    relations = [("posts", "comments", "postId", isList: false)]
  }

  /// The Swift source for the resources.
  var source: String { source(access: .internal) }

  /// The Swift source for the resources.
  func source(access: SwiftAccess) -> String {
    SwiftGenerator(
      title: "database.json", resources: resources, relations: relations, access: access, singular: Self.singular
    ).source
  }

  static func singular(_ name: String) -> String {
    name.hasSuffix("s") ? String(name.dropLast()) : name
  }
}
