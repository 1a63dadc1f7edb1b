import OrderedJSON

/// Something that happened in a server, for those who watch.
struct Event: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case change
    case request
  }

  /// What happened to a resource.
  enum Change: Sendable {
    case created(id: String, Text)
    case updated(id: String, Text)
    case deleted(id: String)
    /// It has to be read again.
    case reloaded
  }

  enum Content: Sendable {
    case change(resource: String, Change)
    case request(RequestSummary)

    var kind: Kind {
      switch self {
      case .change: .change
      case .request: .request
      }
    }

    /// The resource that it is about; `nil` for none.
    var resource: String? {
      switch self {
      case .change(let resource, _): resource
      case .request: nil
      }
    }
  }

  let id: Int
  let content: Content

  /// The event as it is sent (HTML standard, section "Server-sent events").
  var bytes: [UInt8] {
    var output = Array("id: \(id)\nevent: \(content.kind.rawValue)\ndata: ".utf8)
    JSONValue.object(members).appendCompact(to: &output)
    output += "\n\n".utf8
    return output
  }

  private var members: JSONObject {
    switch content {
    case .request(let summary): summary.members
    case .change(let resource, .created(let id, let record)): Self.members(resource, "created", id, record.value)
    case .change(let resource, .updated(let id, let record)): Self.members(resource, "updated", id, record.value)
    case .change(let resource, .deleted(let id)): Self.members(resource, "deleted", id, .null)
    case .change(let resource, .reloaded): JSONObject([("resource", .string(resource)), ("kind", "reloaded")])
    }
  }

  private static func members(_ resource: String, _ kind: JSONValue, _ id: String, _ record: JSONValue) -> JSONObject {
    JSONObject([("resource", .string(resource)), ("kind", kind), ("id", .string(id)), ("record", record)])
  }
}
