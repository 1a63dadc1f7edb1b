import HTTPTypes
import JSONDatabase
import OrderedJSON

/// The database's result for a request, before it becomes HTTP.
struct EndpointResult {
  enum Content {
    /// JSON text in the layout that it has in the file.
    case text(ValidJSON)
    /// The whole database.
    case database(DatabaseText)
    case record(RelatedRecord)
    case list(RecordList)
    case envelope(PageNumbers, RecordList)
  }

  var content: Content
  var status = HTTPResponse.Status.ok
  /// The path segments of a new record's address.
  var location: [String]?
  /// How many records match, for lists.
  var total: Int?
  /// The value of `Link`, for pages.
  var link: String?
  /// The parameters that the data tells to have no effect: what they name is not there.
  var ignored: [IgnoredParameter] = []
  /// What a person should know about the request, as the end of a sentence.
  var notes: [String] = []
  /// What was changed, for subscribers.
  var change: DataChange?
  /// The name under which the content is in an object; `nil` for none.
  var wrapName: String?

  init(
    _ content: Content, status: HTTPResponse.Status = .ok, location: [String]? = nil, change: DataChange? = nil
  ) {
    self.content = content
    self.status = status
    self.location = location
    self.change = change
  }

  /// The fields of every response.
  static let fields: HTTPFields = [
    .contentType: "application/json; charset=utf-8", .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
  ]

  /// The result as an HTTP response.
  ///
  /// - Parameters:
  ///   - request: The request it is for, which says where the server is reached.
  ///   - commonFields: The fields of every response, and what else most responses have.
  func response(to request: Request, _ commonFields: CommonFields? = nil) -> PreparedResponse {
    var response =
      if let commonFields {
        PreparedResponse(status: status, commonFields: commonFields, body: body)
      } else {
        PreparedResponse(status: status, headerFields: Self.fields, body: body)
      }
    if let total { response.headerFields[.xTotalCount] = String(total) }
    if let link { response.headerFields[.link] = link }
    if let location {
      let path = location.map { "/" + PercentEncoding.encodeSegment($0) }.joined()
      response.headerFields[.location] = request.base + path
    }
    return response
  }

  static let formatter = JSONFormatter(.pretty)

  /// Joins a record with what is related to it where that is much, so that it is done when the response is made.
  mutating func joinLargeRecord() {
    guard case .record(let record) = content, record.byteCount > PreparedResponse.largestWhole else { return }
    content = .text(record.joined)
  }

  private var body: PreparedResponse.Body {
    switch content {
    case .record(let record) where wrapName == nil && record.byteCount <= PreparedResponse.largestWhole:
      return .bytes(Self.bytes(record.byteCount) { record.append(to: &$0, Self.formatter, level: 0) })
    case .text(let text) where wrapName == nil && text.count <= PreparedResponse.largestWhole:
      return .bytes(Self.bytes(text.count) { Self.formatter.append(text, to: &$0) })
    case .record, .text, .database, .list, .envelope: break
    }
    let text = text
    let count = text.byteCount(upTo: PreparedResponse.largestWhole)
    guard count <= PreparedResponse.largestWhole else { return .slices(SlicedBody(text)) }
    return .bytes(Self.bytes(count) { text.append(to: &$0) })
  }

  /// Makes a body of about a number of bytes, so that it does not grow by steps: what has the usual layout keeps its
  /// size.
  private static func bytes(_ count: Int, _ append: (inout [UInt8]) -> Void) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(count + count / 16 + 256)
    append(&output)
    return output
  }

  private var text: SlicedText {
    if let wrapName { return wrapped(as: wrapName) }
    return switch content {
    case .text(let text): SlicedText([.value(text, level: 0)])
    case .database(let text): text.pretty
    case .record(let record): SlicedText([.value(record.joined, level: 0)])
    case .list(let records): SlicedText([.records(records, level: 0)])
    case .envelope(let page, let records):
      SlicedText([.bytes(Self.head(of: page)), .records(records, level: 1), .bytes(Array("\n}".utf8))])
    }
  }

  /// What an envelope holds before its records.
  private static func head(of page: PageNumbers) -> [UInt8] {
    var output = Array("{\n".utf8)
    for (name, value) in page.members { output += "  \"\(name)\": \(value.map(String.init) ?? "null"),\n".utf8 }
    output += "  \"data\": ".utf8
    return output
  }
}
