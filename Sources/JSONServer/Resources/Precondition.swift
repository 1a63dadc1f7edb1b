import HTTPTypes
import JSONDatabase
import JSONDescription

/// The state of the target in which a client allows its change: the version that the client has seen (`If-Match`, RFC 9110,
/// section 13.1.1), or that nothing is there (`If-None-Match: *`, section 13.1.2).
///
/// The version covers all members, so the tag of a response to `_fields` does not match.
struct Precondition: Sendable {
  /// The tags of `If-Match`; `nil` without it.
  private let tags: EntityTagList?
  /// Whether nothing may be there.
  private let isForNew: Bool
  /// Whether the change creates what is not there.
  private let mayCreate: Bool
  /// The GET of the same target.
  private let reading: DataOperation
  private let shape: ResponseShape?
  /// The tag of a body that is too large to hash; `nil` for any other.
  private let versionTag: EntityTag?

  /// Reads the conditions of a change; returns `nil` without one.
  ///
  /// - Throws: 401 and 403, when the client may not read the target.
  init?(
    _ endpoint: Endpoint, _ context: RequestContext, _ configuration: Server.Configuration, _ writes: WriteCoordinator,
    _ authorization: Authorization?
  ) throws(RequestError) {
    let request = context.request
    isForNew = request.has(.ifNoneMatch) && EntityTagList(request.headerFields[.ifNoneMatch] ?? "").isForAny
    tags = request.headerFields[.ifMatch].map(EntityTagList.init)
    guard isForNew || tags != nil, let seen = endpoint.reading ?? endpoint.claimed(writes.database.schema, isForNew)
    else { return nil }
    mayCreate = endpoint.mayCreate(writes.database.schema)
    reading = try DataOperation(seen, context, ids: writes.ids, authorization)
    shape = try ResponseShape(QueryParameters(), wrapName: configuration.wrapName(for: context))
    // Middleware gets whole bodies, and clients get the tags of its responses.
    versionTag =
      configuration.middleware.isEmpty
      ? writes.revisions.validator(of: seen, context, in: writes.database, authorization) : nil
  }

  /// - Throws: 412 for another version, and where something is or is not there against the client's condition.
  func check(on database: Database) throws(RequestError) {
    var version = database
    var result: EndpointResult
    do throws(RequestError) {
      result = try reading.perform(on: &version)
    } catch {
      guard error.code == .notFound, tags == nil || mayCreate else { throw error }
      guard tags == nil else {
        throw RequestError(
          .preconditionFailed, "\(reading.request.path) does not exist, so no version matches If-Match.")
      }
      return
    }
    guard !isForNew else {
      throw RequestError(
        .preconditionFailed,
        "The record exists, and If-None-Match: * allows only a new one; to change the record, leave the field out.")
    }
    guard let tags else { return }
    shape?.apply(to: &result, of: reading.endpoint, in: database)
    let request = reading.request
    let tag: EntityTag? =
      switch result.response(to: request).body {
      case .bytes(let body): EntityTag(of: body)
      case .slices(let body): versionTag ?? EntityTag(of: body.bytes)
      case .stream, .events: nil
      }
    guard let tag, tags.names(tag.fieldValue) else {
      throw RequestError(
        .preconditionFailed,
        """
        \(request.path) has changed since the version of If-Match, or the tag is that of a part; get it again, without \
        _fields, and repeat the change.
        """)
    }
  }
}

extension Revisions {
  /// The validator of a large body: the version of the data that it shows to this client.
  func validator(
    of endpoint: Endpoint, _ context: RequestContext, in database: Database, _ authorization: Authorization?
  ) -> EntityTag {
    // The view of signed-in users also depends on the users' records and on their own.
    let position = authorization == nil ? endpoint.onlyResource.flatMap { try? database.position(of: $0) } : nil
    // Not by the token, which clients renew.
    let client = try? authorization?.user(of: context.request)
    // A change is compared with the response of its address, without the parameters that only the change has.
    let request = context.request
    let target = request.method == .get || request.method == .head ? request.target : request.readTarget
    return validator(of: position, as: [target, client ?? "", context.isHidden ? "hidden" : ""])
  }
}

extension Request {
  /// The target that reads the changed data: without `_fields`, and without the parameters of changes.
  fileprivate var readTarget: String {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return target }
    let dropped = QueryParameter.table.filter { $0.value == .fields || !$0.takers.contains(.list) }.map { $0.name[...] }
    let kept = parts[1].split(separator: "&", omittingEmptySubsequences: false).filter { item in
      !dropped.contains(item.prefix { $0 != "=" })
    }
    return kept.isEmpty ? String(parts[0]) : parts[0] + "?" + kept.joined(separator: "&")
  }
}
