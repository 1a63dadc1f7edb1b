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
    case list([RelatedRecord])
    case envelope(PageNumbers, [RelatedRecord])
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
        PreparedResponse(status: status, commonFields: commonFields, body: .bytes(body))
      } else {
        PreparedResponse(status: status, headerFields: Self.fields, body: .bytes(body))
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

  private var body: [UInt8] {
    if let wrapName { return wrapped(as: wrapName) }
    var output: [UInt8] = []
    output.reserveCapacity(sizeEstimate)
    switch content {
    case .text(let text): Self.formatter.append(text, to: &output)
    case .database(let text): text.appendPretty(to: &output)
    case .record(let record): record.append(to: &output, Self.formatter, level: 0)
    case .list(let records): Self.append(records, level: 0, to: &output)
    case .envelope(let page, let records):
      output += "{\n".utf8
      for (name, value) in page.members { output += "  \"\(name)\": \(value.map(String.init) ?? "null"),\n".utf8 }
      output += "  \"data\": ".utf8
      Self.append(records, level: 1, to: &output)
      output += "\n}".utf8
    }
    return output
  }

  /// About the bytes of the body, so that it does not grow by steps: what has the usual layout keeps its size.
  var sizeEstimate: Int {
    switch content {
    case .text(let text): text.count + text.count / 16
    case .database: 1 << 12
    case .record(let record): record.record.count + record.record.count / 16
    case .list(let records), .envelope(_, let records):
      records.reduce(256) { $0 + $1.record.count + $1.record.count / 16 + 8 }
    }
  }

  static func append(_ records: [RelatedRecord], level: Int, to output: inout [UInt8]) {
    guard !records.isEmpty else {
      output += "[]".utf8
      return
    }
    let margin = Array(("\n" + String(repeating: "  ", count: level + 1)).utf8)
    for (index, record) in records.enumerated() {
      output.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
      output += margin
      record.append(to: &output, formatter, level: level + 1)
    }
    output += margin.dropLast(2)
    output.append(UInt8(ascii: "]"))
  }
}
