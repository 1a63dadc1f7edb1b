import JSONDatabase
import JSONOpenAPI
import JSONServerHTTP
import JSONServerResources
import JSONServerValues

/// The responses to the latest reads, for equal requests until the data changes.
///
/// Two requests are equal when their methods, targets and header fields are, so that a response goes to nobody who would get
/// another one.
struct KeptReads {
  /// A read and its response.
  final class Read: Sendable {
    fileprivate let request: Request
    /// The target; `nil` when it was spelled in another way, or rewritten.
    let target: RequestTarget?
    fileprivate let response: PreparedResponse
    fileprivate let version: Int

    fileprivate init(_ context: RequestContext, _ response: PreparedResponse, _ version: Int) {
      (request, self.response, self.version) = (context.request, response, version)
      let isAsSent = context.request.hasHead(of: context.original) && context.target.spelling == context.target.text
      target = isAsSent ? context.target : nil
    }
  }

  /// The largest number of bytes of all bodies.
  static let byteCapacity = 8 << 20
  private static let placeCount = 4096

  /// Each target has one place, which some targets share.
  private var places: ContiguousArray<Read?> = []
  /// The bytes of the bodies, also of those that no request gets any more.
  private(set) var byteCount = 0
  /// The number of the data's version.
  private var version = 0

  /// Forgets all responses, as the data has changed. O(1): what they need is freed when others take their places.
  mutating func forget() { version &+= 1 }

  /// Returns an equal read, perhaps of data that has changed since; `nil` for none.
  func read(equalTo request: Request) -> Read? {
    guard !places.isEmpty, let read = places[Self.place(of: request)], read.request.hasHead(of: request) else {
      return nil
    }
    return read
  }

  /// The response to a read, unless the data has changed since.
  func response(to read: Read) -> PreparedResponse? { read.version == version ? read.response : nil }

  /// Keeps the response to a request.
  mutating func keep(_ response: PreparedResponse, to context: RequestContext) {
    let count = response.bytes.count
    guard count <= Self.byteCapacity / 8 else { return }
    if byteCount + count > Self.byteCapacity { (places, byteCount) = ([], 0) }
    if places.isEmpty { places = ContiguousArray(repeating: nil, count: Self.placeCount) }
    let place = Self.place(of: context.request)
    byteCount += count - (places[place]?.response.bytes.count ?? 0)
    places[place] = Read(context, response, version)
  }

  private static func place(of request: Request) -> Int { request.target.hashValue & (placeCount - 1) }
}

extension Engine {
  /// The response to an equal request before; `nil` for none.
  func keptResponse(to context: RequestContext) -> PreparedResponse? {
    // Middleware and rewrite rules change requests.
    let isAsSent = context.request.hasHead(of: context.original)
    guard isReadOfDataAlone(context),
      let read = isAsSent ? context.known : writes.reads.read(equalTo: context.request),
      let response = writes.reads.response(to: read),
      // A file may have come to the path.
      policies.builtInResponse(to: context.request, context.target, routes.rules) == nil
    else { return nil }
    return response
  }

  /// Keeps the response to a read of the current data, with its validator.
  func keep(
    _ response: inout PreparedResponse, with result: EndpointResult, of endpoint: Endpoint, to context: RequestContext
  ) {
    let isOfData = endpoint.call.map { $0.storage != nil } ?? (response.commonFields != nil)
    guard isOfData, isReadOfDataAlone(context), case .bytes(let body) = response.body, response.status == .ok,
      endpoint.list?.delta == nil, result.ignored.isEmpty, result.notes.isEmpty
    else { return }
    response.validator = EntityTag(of: body)
    writes.reads.keep(response, to: context)
  }

  /// Whether only the request and the saved data decide about the response.
  ///
  /// Rights depend on the time, too, and middleware on anything.
  private func isReadOfDataAlone(_ context: RequestContext) -> Bool {
    let request = context.request
    return request.method == .get && context.sender == .client && !context.isInner && request.bytes.isEmpty
      && signIn == nil && !isSession && writes.showsSavedDatabase
      && !request.mayAskForScript
  }

  /// The bytes of the responses that are kept for equal reads, and their limit.
  var keptReadSize: JSONValue {
    ["bytes": .number(JSONNumber(writes.reads.byteCount)), "limit": .number(JSONNumber(KeptReads.byteCapacity))]
  }
}
