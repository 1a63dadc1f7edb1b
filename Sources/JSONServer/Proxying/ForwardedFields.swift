import HTTPTypes

extension HTTPFields {
  /// The fields that concern one connection alone (RFC 9110, section 7.6.1), and those that say how a message is framed.
  private static let connectionNames: Set = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "content-length", "expect",
  ]

  /// The fields of a request that another server is not to see: what is about this one.
  ///
  /// Pages of other origins were admitted or refused here, as the other server would by `Origin`. Without a coding that the
  /// client accepts, the response comes as it is, and is compressed here. A body was unpacked.
  private static let ownNames: Set = [
    "host", "origin", "accept-encoding", "content-encoding", HTTPField.Name.session.canonicalName,
    HTTPField.Name.page.canonicalName,
    HTTPField.Name.methodOverride.canonicalName,
  ]

  /// The fields without those of one connection, which `Connection` may name, too.
  private var withoutConnectionFields: HTTPFields {
    let listed = self[values: .connection].joined(separator: ",").lowercased()
    let named = Set(listed.split { ", \t".contains($0) }.map(String.init))
    return filter { field in
      let name = field.name.canonicalName
      return !Self.connectionNames.contains(name) && !named.contains(name)
    }
  }

  /// The fields of a request as another server gets them.
  var forwarded: HTTPFields {
    withoutConnectionFields.filter { !Self.ownNames.contains($0.name.canonicalName) }
  }

  /// The fields of another server's response as a client gets them: who may read it, this server says.
  ///
  /// - Parameter keepsLength: Whether the length is that of a body which HEAD leaves out.
  func passedOn(keepsLength: Bool) -> HTTPFields {
    var fields = withoutConnectionFields.filter { field in
      let name = field.name.canonicalName
      return !name.hasPrefix("access-control-") || name == "access-control-expose-headers"
    }
    if keepsLength { fields += filter { $0.name == .contentLength }.prefix(1) }
    return fields
  }

  /// Fields that clients, servers and those between them prove with who they are.
  static let secretNames: Set = ["authorization", "cookie", "set-cookie", "set-cookie2"]
}

/// How a server names itself to those that it asks, so that it knows its own requests again (RFC 9110, section 7.6.3).
struct ViaName: Sendable {
  let text: String

  init(random: UInt64) {
    text = "json-server-" + String(random, radix: 16)
  }

  /// Whether a request has come by this server already.
  func isNamed(in fields: HTTPFields) -> Bool {
    fields[values: .via].contains { value in
      value.split(separator: ",").contains { entry in
        entry.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.map(String.init) == text
      }
    }
  }

  func add(to fields: inout HTTPFields) {
    fields.append(HTTPField(name: .via, value: "1.1 \(text)"))
  }
}
