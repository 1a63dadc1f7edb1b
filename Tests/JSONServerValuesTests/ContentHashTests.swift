import Testing

@testable import JSONServerValues

struct ContentHashTests {
  private func hash(_ bytes: [UInt8]) -> ContentHash {
    bytes.withUnsafeBytes { ContentHash(of: $0) }
  }

  @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 1000])
  func `How bytes are cut into pieces does not matter`(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for size in [1, 7, 63, 64, 65, 200] {
      var hasher = ContentHasher()
      for start in stride(from: 0, to: count, by: size) {
        bytes[start..<min(start + size, count)].withUnsafeBytes { hasher.update($0) }
      }
      #expect(hasher.finish() == hash(bytes), "pieces of \(size)")
    }
  }

  @Test func `Any flipped bit changes the hash`() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0) }
    var seen: Set<ContentHash> = [hash(bytes)]
    for bit in 0..<(8 * bytes.count) {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(seen.insert(hash(changed)).inserted, "bit \(bit)")
    }
  }

  @Test func `Swapped stripes, lanes and words and appended zeros change the hash`() {
    let bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0) }
    var seen: Set<ContentHash> = [hash(bytes)]
    for size in [8, 16, 64] {
      var swapped = bytes
      swapped.replaceSubrange(0..<(2 * size), with: bytes[size..<(2 * size)] + bytes[..<size])
      #expect(seen.insert(hash(swapped)).inserted, "swapped \(size)")
    }
    for count in 0..<130 {
      #expect(seen.insert(hash([UInt8](repeating: 0, count: count))).inserted, "\(count) zeros")
    }
  }
}
