package import JSONServerHTTP

/// The `Link` field of a page (RFC 8288), as json-server 0.17 sends it: first, prev, next, last.
package struct PageLinks {
  /// The request's own address, split at the page number.
  private let address: [ArraySlice<UInt8>]

  private init(_ request: Request) {
    var bytes = Array(request.base.utf8)
    bytes += PercentEncoding.encodeUnsafe(request.target).utf8
    var address: [ArraySlice<UInt8>] = []
    var start = 0
    if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
      for item in bytes[mark...].dropFirst().split(separator: UInt8(ascii: "&"))
      where item.starts(with: Self.parameter) {
        address.append(bytes[start..<item.startIndex + Self.parameter.count])
        start = item.endIndex
      }
    }
    self.address = address + [bytes[start...]]
  }

  private static let parameter = Array("_page=".utf8)

  /// Returns the field's value; `nil` when all records are on one page.
  package static func fieldValue(_ request: Request, _ page: PageNumbers) -> String? {
    guard page.last > 1, page.requested <= page.last else { return nil }
    let address = PageLinks(request)
    var links: [UInt8] = []
    links.reserveCapacity(4 * (address.address.reduce(64) { $0 + $1.count }))
    address.append(linkTo: 1, "first", to: &links)
    if page.number > 1 { address.append(linkTo: page.number - 1, "prev", to: &links) }
    if page.number < page.last { address.append(linkTo: page.number + 1, "next", to: &links) }
    address.append(linkTo: page.last, "last", to: &links)
    return String(decoding: links, as: UTF8.self)
  }

  /// Appends the address with the number of another page.
  private func append(linkTo number: Int, _ relation: String, to links: inout [UInt8]) {
    links += links.isEmpty ? "<".utf8 : ", <".utf8
    for index in address.indices {
      if index > 0 { links += String(number).utf8 }
      links += address[index]
    }
    links += ">; rel=\"".utf8
    links += relation.utf8
    links.append(UInt8(ascii: "\""))
  }
}

/// The numbers of a page and of the pages around it.
package struct PageNumbers: Sendable, Hashable {
  /// The requested number.
  let requested: Int
  let size: Int
  package let total: Int

  /// The number of the page that is shown: of those that exist, the one next to the requested one.
  var number: Int { min(max(requested, 1), last) }

  /// The number of the last page; 1 when there are no records.
  var last: Int { max(1, (total + size - 1) / size) }

  /// The members of json-server 1.0's envelope, without the data.
  var members: [(name: String, value: Int?)] {
    [
      ("first", 1), ("prev", number > 1 ? number - 1 : nil), ("next", number < last ? number + 1 : nil),
      ("last", last), ("pages", last), ("items", total),
    ]
  }
}
