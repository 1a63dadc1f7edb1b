import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONServerHTTP
import JSONServerResources

/// Numbers the versions of the data, for validators of bodies that are too large to hash.
///
/// Every change gives a new number, even a change back to an earlier content.
struct Revisions {
  private var latest: UInt64 = 0
  /// The newest version in which all resources may have changed.
  private var all: UInt64 = 0
  private var changed: [Int: UInt64] = [:]
  /// Whether nothing has changed since the start.
  var isEmpty: Bool { latest == 0 }
  /// Distinguishes the versions of this run of the server from those of all others.
  private let origin = UInt64.random(in: .min ... .max)

  /// Records that resources have changed, by their positions.
  mutating func change(_ positions: Set<Int>) {
    latest += 1
    for position in positions { changed[position] = latest }
  }

  /// Records that all resources may have changed.
  mutating func changeAll() {
    latest += 1
    all = latest
    changed = [:]
  }

  /// The validator of the current data that a request shows.
  ///
  /// - Parameters:
  ///   - position: The only resource that the response depends on; `nil` when there may be several.
  ///   - representation: Everything else that the response depends on.
  func validator(of position: Int?, as representation: [String]) -> EntityTag {
    let number = position.map { max(changed[$0] ?? 0, all) } ?? latest
    var bytes = withUnsafeBytes(of: origin) { Array($0) }
    for text in representation { bytes += Array(text.utf8) + [0xFF] }
    return EntityTag(version: number, of: bytes)
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
    return validator(of: position, as: [target, client ?? "", context.isGuarded ? "" : "all"])
  }
}

extension Request {
  /// The target that reads the changed data: without `_fields`, and without the parameters of changes.
  fileprivate var readTarget: String {
    let dropped = QueryParameter.table.filter { $0.value == .fields || !$0.takers.contains(.list) }.map { $0.name[...] }
    return target(leavingOut: dropped.contains)
  }
}
