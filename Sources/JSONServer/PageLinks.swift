import HTTPTypes

/// The `Link` field of a page (RFC 8288), as json-server 0.17 sends it: first, prev, next, last.
struct PageLinks {
  private let request: Request
  private let page: PageNumbers

  init(_ request: Request, _ page: PageNumbers) {
    self.request = request
    self.page = page
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

  /// The request's own address with the number of another page.
  private func link(to number: Int, _ relation: String) -> String {
    let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = (parts.count > 1 ? parts[1] : "").split(separator: "&", omittingEmptySubsequences: false)
    let items = query.map { $0.hasPrefix("_page=") ? "_page=\(number)" : PercentEncoding.encodeUnsafe($0) }
    let target = PercentEncoding.encodeUnsafe(parts[0]) + "?" + items.joined(separator: "&")
    return "<\(request.base)\(target)>; rel=\"\(relation)\""
  }
}
