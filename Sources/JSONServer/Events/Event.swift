import JSONDatabase
import OrderedJSON

/// Something that happened in a server, for its subscribers.
struct Event: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case change
    case request
  }

  /// What happened to a resource.
  enum Change: Sendable {
    case created(id: String, ValidJSON)
    case updated(id: String, ValidJSON)
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

  /// What `Last-Event-ID` names; `nil` for an event from which a subscriber does not resume.
  let id: String?
  let content: Content

  /// The event as it is sent (HTML standard, section "Server-sent events").
  var bytes: [UInt8] {
    var output = Array((id.map { "id: \($0)\n" } ?? "").utf8)
    output += "event: \(content.kind.rawValue)\ndata: ".utf8
    JSONValue.object(members).appendCompact(to: &output)
    if let record {
      // The last member, as text: building a tree of it would be wasted work.
      output.removeLast()
      output += ",\"record\":".utf8
      JSONFormatter(.compact).append(record, to: &output)
      output.append(UInt8(ascii: "}"))
    }
    output += "\n\n".utf8
    return output
  }

  /// The record that a change made.
  private var record: ValidJSON? {
    switch content {
    case .change(_, .created(_, let record)), .change(_, .updated(_, let record)): record
    case .change(_, .deleted), .change(_, .reloaded), .request: nil
    }
  }

  /// The members but the record.
  private var members: JSONObject {
    switch content {
    case .request(let summary): summary.members
    case .change(let resource, .created(let id, _)): Self.members(resource, "created", id)
    case .change(let resource, .updated(let id, _)): Self.members(resource, "updated", id)
    case .change(let resource, .deleted(let id)):
      JSONObject([("resource", .string(resource)), ("kind", "deleted"), ("id", .string(id)), ("record", nil)])
    case .change(let resource, .reloaded): JSONObject([("resource", .string(resource)), ("kind", "reloaded")])
    }
  }

  private static func members(_ resource: String, _ kind: JSONValue, _ id: String) -> JSONObject {
    JSONObject([("resource", .string(resource)), ("kind", kind), ("id", .string(id))])
  }
}

/// A change of the data, for subscribers.
enum DataChange: Sendable {
  case created(String, WrittenRecord)
  case updated(String, WrittenRecord)
  case deleted(String, id: String, dependents: [String: Int])
  /// Several records of a collection at once.
  case updatedMany(String, [WrittenRecord])
  case deletedMany(String, ids: [String], dependents: [String: Int])
  /// A resource changed in a way that is best seen by reading it again.
  case reloaded(String)
  /// All data was replaced; the names of the resources before and after.
  case replaced([String])
}
