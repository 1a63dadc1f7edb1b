import HTTPTypes
import JSONDatabase
import JSONDescription
package import JSONServerHTTP

/// The state of the target in which a client allows its change: the version that the client has seen (`If-Match`, RFC 9110,
/// section 13.1.1), or that nothing is there (`If-None-Match: *`, section 13.1.2).
///
/// The version covers all members, so the tag of a response to `_fields` does not match.
package struct Precondition: Sendable {
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

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - tags: The tags of `If-Match`; `nil` without it.
  ///   - isForNew: Whether nothing may be there.
  ///   - mayCreate: Whether the change creates what is not there.
  ///   - reading: The GET of the same target.
  ///   - versionTag: The tag of a body that is too large to hash.
  package init(
    tags: EntityTagList?, isForNew: Bool, mayCreate: Bool, reading: DataOperation, shape: ResponseShape?,
    versionTag: EntityTag?
  ) {
    (self.tags, self.isForNew, self.mayCreate) = (tags, isForNew, mayCreate)
    (self.reading, self.shape, self.versionTag) = (reading, shape, versionTag)
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
