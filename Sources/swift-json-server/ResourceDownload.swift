import HTTPTypes
import JSONServer
import JSONServerValues

/// Downloads a resource of another server: a list, page by page, or an object.
struct ResourceDownload {
  /// The downloaded resource.
  enum Content {
    case records([ValidJSON])
    case object(ValidJSON)

    /// The name of the only array in an object, which probably holds the records: `{"data": […], "total": 1}`.
    var onlyList: String? {
      guard case .object(let object) = self, let members = JSONValue(object).object else { return nil }
      let lists = members.filter { $0.value.array?.contains { $0.object != nil } == true }
      return lists.count == 1 ? lists.first?.name : nil
    }
  }

  private static let maximumPages = 1_000
  private static let maximumRedirects = 10

  /// The address as given.
  let argument: String
  /// The name of the resource: the last segment of the address's path, without `.json`.
  let name: String
  private let url: URL
  private let fields: HTTPFields
  private let curl: Curl

  /// The address's path, for messages.
  var place: String { url.path() }

  /// - Throws: ``CommandFailure`` for an address that does not name a resource.
  init(_ argument: String, fields: HTTPFields, curl: Curl) throws(CommandFailure) {
    guard let url = URL(string: argument), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false, url.user() == nil, url.fragment() == nil
    else {
      let shown = argument.contains("@") ? "The address" : "'\(SecretText.target(argument))'"
      throw CommandFailure(
        .usage, "\(shown) is not the address of a resource; write it as https://api.example.com/posts.")
    }
    var name = url.pathComponents.last { $0 != "/" } ?? ""
    if name.hasSuffix(".json") { name.removeLast(5) }
    guard !name.isEmpty else {
      throw CommandFailure(
        .usage,
        "'\(Self.shown(url))' has no path that would name a resource; give one such as https://api.example.com/posts.")
    }
    (self.argument, self.url, self.name, self.fields, self.curl) = (argument, url, name, fields, curl)
  }

  /// The record with an id in the list at this address.
  func record(_ id: String) throws(CommandFailure) -> ResourceDownload {
    try ResourceDownload(url.appending(path: id).absoluteString, fields: fields, curl: curl)
  }

  /// Downloads the first page; `nil` when nothing is at the address.
  ///
  /// - Throws: ``CommandFailure`` that names an address which does not respond, or is not JSON.
  func sample() async throws(CommandFailure) -> ValidJSON? {
    let (response, address) = try await get(url)
    if [404, 410].contains(response.status.code) { return nil }
    try check(response, address)
    return try json(response, address)
  }

  /// Downloads all pages.
  ///
  /// - Parameter show: Called with a sentence about the progress before each page.
  /// - Throws: ``CommandFailure`` that names an address which does not respond, or is not JSON.
  func run(_ show: (String) -> Void) async throws(CommandFailure) -> Content {
    var records: [ValidJSON] = []
    var visited: Set<String> = []
    var page = url
    while true {
      guard visited.insert(page.absoluteString).inserted else {
        throw failure(page, "its pages go in circles: a rel=\"next\" leads here again", .invalidSource)
      }
      guard visited.count <= Self.maximumPages else {
        throw failure(
          page, "there are more than \(Self.maximumPages) pages; ask for larger ones in the address", .invalidSource)
      }
      show("Reading \(Self.shown(url)), page \(visited.count), \(records.count) records so far …")
      let (response, address) = try await get(page)
      try check(response, address)
      let value = try json(response, address)
      guard let elements = value.elements else {
        guard visited.count == 1, value.kind == .object else {
          throw failure(
            address, "it holds \(value.kind.description), where a list or, as a single page, an object must be",
            .invalidSource)
        }
        return .object(value)
      }
      records += elements
      guard let reference = LinkField.next(in: response.headerFields) else { return .records(records) }
      guard let next = URL(string: reference, relativeTo: address)?.absoluteURL else {
        throw failure(address, "its rel=\"next\" is not an address: \(reference)", .invalidSource)
      }
      guard Self.isSameOrigin(next, address) else {
        throw failure(
          address, "its rel=\"next\" leads to another server, which is not followed: \(Self.shown(next))",
          .invalidSource)
      }
      page = next
    }
  }

  /// Requests a page, and follows redirections on the same server.
  private func get(_ page: URL) async throws(CommandFailure) -> (Response, URL) {
    var address = page
    for _ in 0...Self.maximumRedirects {
      let response: Response
      do {
        let request = Request(method: .get, target: "/", headerFields: fields)
        response = try await curl.send(request, to: address.absoluteString)
      } catch Upstream.Failure.timeout {
        throw failure(address, "it has not responded within \(Int(curl.timeout / .seconds(1))) seconds")
      } catch {
        throw failure(address, "\(error)")
      }
      guard [301, 302, 303, 307, 308].contains(response.status.code) else { return (response, address) }
      guard let location = response.headerFields[.location],
        let next = URL(string: location, relativeTo: address)?.absoluteURL
      else { throw failure(address, "it redirects to nowhere") }
      guard Self.isSameOrigin(next, address) else {
        throw failure(address, "it redirects to \(Self.shown(next)), another server; give that address instead")
      }
      address = next
    }
    throw failure(page, "it redirects more than \(Self.maximumRedirects) times")
  }

  /// - Throws: ``CommandFailure`` for a response without success.
  private func check(_ response: Response, _ address: URL) throws(CommandFailure) {
    switch response.status.code {
    case 200...299: return
    case 401, 403:
      throw failure(
        address,
        "it responded with \(response.status); send the header field that it requires, as in -H 'Authorization: Bearer $TOKEN'"
      )
    default: throw failure(address, "it responded with \(response.status); check the address")
    }
  }

  /// An address for messages, without secrets.
  private static func shown(_ url: URL) -> String { SecretText.target(url.absoluteString) }

  private func json(_ response: Response, _ address: URL) throws(CommandFailure) -> ValidJSON {
    do throws(JSONError) {
      return try ValidJSON(parsing: response.bytes)
    } catch {
      let type = response.headerFields[.contentType].map { ", but \($0)" } ?? ""
      throw failure(address, "its response is not JSON\(type): \(error)", .invalidSource)
    }
  }

  private func failure(_ url: URL, _ reason: String, _ status: ExitStatus = .unreadable) -> CommandFailure {
    CommandFailure(status, LogText.escaped("\(Self.shown(url)): \(reason)\(reason.hasSuffix(".") ? "" : ".")"))
  }

  private static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
    func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
    return one.scheme?.lowercased() == other.scheme?.lowercased() && port(one) == port(other)
      && one.host()?.lowercased() == other.host()?.lowercased()
  }
}

/// The links of a response (RFC 8288, section 3).
enum LinkField {
  /// The address of the next page, as written in the field; `nil` for none.
  static func next(in fields: HTTPFields) -> String? {
    guard let name = HTTPField.Name("Link") else { return nil }
    // Commas and semicolons in quotes separate nothing.
    let links = fields[values: name].flatMap { $0.matches(of: /<([^>]*)>((?:[^,"]|"[^"]*"?)*)/) }
    return links.first { relations(in: $0.2).contains("next") }.map { String($0.1) }
  }

  /// The words of `rel` among a link's parameters.
  private static func relations(in parameters: Substring) -> [String] {
    let pairs = parameters.matches(of: /;\s*([^=;"]*?)\s*=\s*(?:"([^"]*)|([^;"]*))/)
    guard let rel = pairs.first(where: { $0.1.lowercased() == "rel" }) else { return [] }
    return (rel.2 ?? rel.3 ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
