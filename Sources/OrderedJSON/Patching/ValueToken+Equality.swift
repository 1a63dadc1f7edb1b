extension ValueToken {
  /// Whether two values are the same as RFC 6902 compares them (section 4.6): numbers by what they amount to, strings by
  /// their characters, objects without regard to order.
  ///
  /// Of members with the same name the first counts.
  ///
  /// - Complexity: O(size of both), for objects on average.
  func isEqual(to other: ValueToken) -> Bool {
    if bytes.elementsEqual(other.bytes) { return true }
    guard kind == other.kind else { return false }
    switch kind {
    case .null: return true
    // Their texts differ.
    case .bool: return false
    case .number: return DecimalNumber(bytes) == DecimalNumber(other.bytes)
    case .string: return unescapedContent == other.unescapedContent
    case .array:
      guard var left = ArrayReader(self), var right = ArrayReader(other) else { return false }
      while let element = left.next() {
        guard let counterpart = right.next(), element.isEqual(to: counterpart) else { return false }
      }
      return right.next() == nil
    case .object:
      let (left, right) = (firstMembers, other.firstMembers)
      return left.count == right.count
        && left.allSatisfy { name, value in right[name].map { value.isEqual(to: $0) } ?? false }
    }
  }

  private var firstMembers: [[UInt8]: ValueToken] {
    var members: [[UInt8]: ValueToken] = [:]
    guard var reader = ObjectReader(self) else { return members }
    while let member = reader.next() {
      let name = member.name.unescapedContent
      if members[name] == nil { members[name] = member.value }
    }
    return members
  }
}

/// What the text of a number amounts to, exactly: `1`, `1.0` and `10e-1` are equal, integers of 20 digits are not when
/// one digit differs.
private struct DecimalNumber: Equatable {
  private let isNegative: Bool
  /// The digits without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// The power of ten of the last digit; `nil` when it does not fit, which makes the number differ from all others.
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
