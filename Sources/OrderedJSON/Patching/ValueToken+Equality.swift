extension ValueToken {
  /// Whether two values are the same as RFC 6902 compares them (section 4.6): numbers by what they amount to, strings by
  /// their characters, objects without regard to order.
  ///
  /// Of members with the same name the first counts.
  ///
  /// - Complexity: O(size of both), for objects on average.
  func isEqual(to other: ValueToken) -> Bool {
    bytes.elementsEqual(other.bytes) || OutlinedValue(self).isEqual(to: OutlinedValue(other))
  }
}

extension OutlinedValue {
  fileprivate func isEqual(to other: OutlinedValue) -> Bool {
    let (token, counterpart) = (token, other.token)
    guard token.kind == counterpart.kind else { return false }
    switch token.kind {
    case .null: return true
    case .bool: return token.bytes.elementsEqual(counterpart.bytes)
    case .number:
      return token.bytes.elementsEqual(counterpart.bytes)
        || DecimalNumber(token.bytes) == DecimalNumber(counterpart.bytes)
    case .string: return token.unescapedContent == counterpart.unescapedContent
    case .array:
      guard var left = makeReader(), var right = other.makeReader() else { return false }
      while let element = left.next() {
        guard let counterpart = right.next(), element.value.isEqual(to: counterpart.value) else { return false }
      }
      return right.next() == nil
    case .object:
      let (left, right) = (firstMembers, other.firstMembers)
      return left.count == right.count
        && left.allSatisfy { name, value in right[name].map { value.isEqual(to: $0) } ?? false }
    }
  }

  private var firstMembers: [[UInt8]: OutlinedValue] {
    var members: [[UInt8]: OutlinedValue] = [:]
    var reader = makeReader()
    while let member = reader?.next(), let token = member.name {
      let name = token.unescapedContent
      if members[name] == nil { members[name] = member.value }
    }
    return members
  }
}

/// What the text of a number amounts to: `1`, `1.0` and `10e-1` are equal, integers of 20 digits are not when one digit
/// differs. It is exact but for exponents of 19 digits and more.
private struct DecimalNumber: Equatable {
  private let isNegative: Bool
  /// The digits without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// The power of ten of the last digit; `nil` when it does not fit, which makes the number differ from all that are
  /// written otherwise.
  private let exponent: Int?

  init(_ text: UnsafeBufferPointer<UInt8>) {
    let parts = text.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
    // A number begins with a digit or a sign.
    let mantissa = parts[0].drop { $0 == UInt8(ascii: "-") }
    let fraction = mantissa.drop { $0 != UInt8(ascii: ".") }.dropFirst()
    let all = mantissa.filter { $0 != UInt8(ascii: ".") }.drop { $0 == UInt8(ascii: "0") }
    let zeros = all.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    digits = Array(all.dropLast(zeros))
    isNegative = text.first == UInt8(ascii: "-") && !digits.isEmpty
    let power = parts.count == 1 ? 0 : Int(String(decoding: parts[1].drop { $0 == UInt8(ascii: "+") }, as: UTF8.self))
    exponent =
      digits.isEmpty
      ? 0
      : power.flatMap { power in
        let (sum, overflow) = power.addingReportingOverflow(zeros - fraction.count)
        return overflow ? nil : sum
      }
  }

  static func == (left: DecimalNumber, right: DecimalNumber) -> Bool {
    left.isNegative == right.isNegative && left.digits == right.digits && left.exponent != nil
      && left.exponent == right.exponent
  }
}
