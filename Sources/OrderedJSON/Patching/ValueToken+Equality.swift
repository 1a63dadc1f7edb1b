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
  /// Compares with a stack of its own instead of recursion.
  fileprivate func isEqual(to other: OutlinedValue) -> Bool {
    var pairs = [(self, other)]
    while let (left, right) = pairs.popLast() {
      guard left.isEqual(to: right, butFor: &pairs) else { return false }
    }
    return true
  }

  /// Whether two values are the same, if the elements and members are that are added to the pairs.
  private func isEqual(to other: OutlinedValue, butFor pairs: inout [(OutlinedValue, OutlinedValue)]) -> Bool {
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
        guard let counterpart = right.next() else { return false }
        pairs.append((element.value, counterpart.value))
      }
      return right.next() == nil
    case .object:
      let (left, right) = (firstMembers, other.firstMembers)
      guard left.count == right.count else { return false }
      for (name, value) in left {
        guard let counterpart = right[name] else { return false }
        pairs.append((value, counterpart))
      }
      return true
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
