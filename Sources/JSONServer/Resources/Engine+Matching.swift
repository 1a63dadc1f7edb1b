import HTTPTypes
import JSONDatabase

// If-Match, and the validators of what is too large to be read for one.

extension Engine {
  /// Refuses a change to a version that the client has not seen (RFC 9110, section 13.1.1).
  ///
  /// The version is that of all members: the tag of a response to `_fields` tells nothing about the others.
  ///
  /// - Throws: 412, when the request has an `If-Match` that does not name the version which a GET would return.
  func requireMatch(_ context: RequestContext, _ endpoint: Endpoint) throws(RequestError) {
    let request = context.request
    guard let field = request.headerFields[.ifMatch], let seen = endpoint.target else { return }
    var result =
      if let signIn {
        try perform(seen, context, signIn)
      } else {
        try seen.perform(request, on: &writes.database, ids: writes.ids)
      }
    try ResponseShape(QueryParameters(), wrapName: wrapName(for: context))?
      .apply(to: &result, of: seen, in: &writes.database)
    let response = result.response(to: request)
    let tag: EntityTag? =
      switch response.body {
      case .bytes(let body): EntityTag(of: body)
      case .slices: validator(of: seen, context)
      case .stream: nil
      }
    guard let tag, EntityTagList(field).names(tag.fieldValue) else {
      throw RequestError(
        .preconditionFailed,
        """
        \(request.path) is not as If-Match says any more, or the tag is that of a part of it; get it again, without \
        _fields, and repeat the change.
        """)
    }
  }

  /// The validator of a large body: that of the version of the data which it shows to this client.
  func validator(of endpoint: Endpoint, _ context: RequestContext) -> EntityTag {
    let request = context.request
    // Whoever signs in sees what the users' and their own records say.
    let position = signIn == nil ? endpoint.onlyResource.flatMap { try? database.position(of: $0) } : nil
    let client = signIn == nil ? "" : request.headerFields.joined(.authorization) ?? ""
    // A change is compared with what its address shows without what only the change takes.
    let target = request.method == .get || request.method == .head ? request.target : request.readTarget
    return writes.revisions.validator(of: position, as: [target, client, context.isHidden ? "hidden" : ""])
  }
}

extension Request {
  /// The target that reads what a change is about: without `_fields`, and without what only a change takes.
  fileprivate var readTarget: String {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return target }
    let kept = parts[1].split(separator: "&", omittingEmptySubsequences: false).filter { item in
      !["_fields", "_all", "_dependent"].contains(item.prefix { $0 != "=" })
    }
    return kept.isEmpty ? String(parts[0]) : parts[0] + "?" + kept.joined(separator: "&")
  }
}
