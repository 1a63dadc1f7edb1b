/// The codings that a client accepts, as its `Accept-Encoding` says (RFC 9110, section 12.5.3).
struct AcceptEncoding: Hashable {
  private var weights: [String: Double] = [:]

  /// Reads a field; an entry whose weight is not a number from 0 to 1 is not accepted.
  init(_ field: String) {
    for entry in field.split(separator: ",") {
      let type = MediaType(String(entry))
      let weight = type.parameters["q"].map { Double($0) ?? 0 } ?? 1
      weights[type.essence] = 0...1 ~= weight ? weight : 0
    }
  }

  /// The coding to respond with: the one of the greatest weight, gzip among equal ones; `nil` for none.
  var preferred: ContentCoding? {
    var best: (coding: ContentCoding, weight: Double)?
    for coding in ContentCoding.allCases {
      let alias = coding == .gzip ? weights["x-gzip"] : nil
      let weight = weights[coding.rawValue] ?? alias ?? weights["*"] ?? 0
      if weight > best?.weight ?? 0 { best = (coding, weight) }
    }
    guard let best, best.weight >= weights["identity"] ?? 0 else { return nil }
    return best.coding
  }
}
