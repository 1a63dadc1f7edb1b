import HTTPTypes

/// The `Link` field of a page (RFC 8288), as json-server 0.17 sends it: first, prev, next, last.
struct PageLinks {
  private let page: PageNumbers
  /// The request's own address, cut where the number of its page stands.
  private let address: [String]

  init(_ request: Request, _ page: PageNumbers) {
    self.page = page
    let parts = request.target.utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var address = [request.base + PercentEncoding.encodeUnsafe(Substring(parts[0])) + "?"]
    let query = parts.count > 1 ? parts[1] : ""[...].utf8
    for (index, item) in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
      if index > 0 { address[address.count - 1] += "&" }
      if item.starts(with: "_page=".utf8) {
        address[address.count - 1] += "_page="
        address.append("")
      } else {
        address[address.count - 1] += PercentEncoding.encodeUnsafe(Substring(item))
      }
    }
    self.address = address
  }

  /// The field's value; `nil` when all records stand on the page, or none does.
  var fieldValue: String? {
    guard page.last > 1, page.requested <= page.last else { return nil }
    var links = [link(to: 1, "first")]
    if page.number > 1 { links.append(link(to: page.number - 1, "prev")) }
    if page.number < page.last { links.append(link(to: page.number + 1, "next")) }
    links.append(link(to: page.last, "last"))
    return links.joined(separator: ", ")
  }

  /// The address with the number of another page.
  private func link(to number: Int, _ relation: String) -> String {
    "<\(address.joined(separator: String(number)))>; rel=\"\(relation)\""
  }
}
