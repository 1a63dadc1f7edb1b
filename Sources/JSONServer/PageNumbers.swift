/// The numbers of a page and of the pages around it.
struct PageNumbers: Sendable, Hashable {
  /// The page's number, from 1; at most the last page's under json-server 1.0.
  let number: Int
  let size: Int
  let total: Int

  /// Clamps a page's number to the pages there are.
  init(number: Int, size: Int, total: Int) {
    self.size = size
    self.total = total
    requested = number
    self.number = min(max(number, 1), max(1, (total + size - 1) / size))
  }

  /// The number that was asked for.
  let requested: Int

  /// The number of the last page; 1 when there is no record.
  var last: Int { max(1, (total + size - 1) / size) }

  /// The members of json-server 1.0's envelope, but the data.
  var members: [(name: String, value: Int?)] {
    [
      ("first", 1), ("prev", number > 1 ? number - 1 : nil), ("next", number < last ? number + 1 : nil),
      ("last", last), ("pages", last), ("items", total),
    ]
  }
}
