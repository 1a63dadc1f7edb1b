import ArgumentParser

/// A number of bytes, written as `1048576`, `1024k` or `1M`.
struct ByteCount: ExpressibleByArgument, Hashable, Sendable {
  let bytes: Int

  init?(argument: String) {
    var digits = argument[...]
    var unit = 1
    if digits.last?.lowercased() == "b" { digits.removeLast() }
    switch digits.last?.lowercased() {
    case "k": unit = 1 << 10
    case "m": unit = 1 << 20
    case "g": unit = 1 << 30
    default: break
    }
    if unit > 1 { digits.removeLast() }
    guard let count = Int(digits), count >= 0 else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}
