/// The hash of bytes, which identifies a version of a file and the body of a response.
///
/// It guards against accidents, not against someone who looks for a collision: two different versions have the same
/// hash with a probability of about 2⁻⁶⁴.
package struct ContentHash: Sendable, Hashable {
  /// The number of bytes.
  package let count: Int
  package let value: UInt64
}

extension ContentHash {
  /// Hashes contiguous bytes.
  package init(of bytes: UnsafeRawBufferPointer) {
    var hasher = ContentHasher()
    hasher.update(bytes)
    self = hasher.finish()
  }

  /// Hashes bytes.
  package init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ContentHash(of: $0) }
  }
}

/// Computes a ``ContentHash`` piece by piece; how the bytes are cut into pieces does not matter.
///
/// Four lanes each fold 16 bytes of a 64-byte stripe into themselves by one 128-bit product, the construction of
/// wyhash. The lanes do not wait for each other, which keeps the multiplier busy: several bytes for each cycle.
package struct ContentHasher {
  private static let stripe = 64

  private var lanes = SIMD4<UInt64>(
    0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3)
  private var pending = SIMD64<UInt8>()
  private var pendingCount = 0
  private var count = 0

  /// Starts without bytes.
  package init() {}

  /// Adds bytes at the end.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    var rest = bytes[...]
    if pendingCount > 0 {
      let taken = min(Self.stripe - pendingCount, rest.count)
      appendPending(rest.prefix(taken))
      rest = rest.dropFirst(taken)
      guard pendingCount == Self.stripe else { return }
      foldPending()
    }
    let whole = rest.count / Self.stripe * Self.stripe
    fold(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
    appendPending(rest.dropFirst(whole))
  }

  /// Returns the hash of all bytes so far.
  package consuming func finish() -> ContentHash {
    if pendingCount > 0 {
      // The count distinguishes zeros that pad the last stripe from zeros in the file.
      for index in pendingCount..<Self.stripe { pending[index] = 0 }
      foldPending()
    }
    let left = Self.product(lanes[0] ^ UInt64(count), lanes[1])
    let right = Self.product(lanes[2], lanes[3] ^ 0x1D8E_4E27_C47D_124F)
    return ContentHash(count: count, value: Self.product(left ^ lanes[3], right ^ lanes[0]) ^ left ^ right)
  }

  private mutating func appendPending(_ bytes: Slice<UnsafeRawBufferPointer>) {
    guard !bytes.isEmpty else { return }
    withUnsafeMutableBytes(of: &pending) { target in
      UnsafeMutableRawBufferPointer(rebasing: target[pendingCount...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes))
    }
    pendingCount += bytes.count
  }

  private mutating func foldPending() {
    let stripe = pending
    withUnsafeBytes(of: stripe) { fold($0) }
    pendingCount = 0
  }

  /// Folds whole stripes into the lanes.
  private mutating func fold(_ bytes: UnsafeRawBufferPointer) {
    // A buffer would check its bounds at each of the eight loads of a stripe, and offsets would be checked for overflow.
    guard var place = bytes.baseAddress else { return }
    let end = place + bytes.count
    var (first, second, third, fourth) = (lanes[0], lanes[1], lanes[2], lanes[3])
    // The question after each lane, which only the last one answers with no, keeps the compiler from gathering the lanes in
    // vectors, which cannot multiply: that took a quarter more instructions.
    func next(_ lane: inout UInt64) -> Bool {
      lane = Self.fold(place, into: lane)
      place += 16
      return place < end
    }
    while place < end, next(&first), next(&second), next(&third), next(&fourth) {}
    lanes = SIMD4(first, second, third, fourth)
  }

  @inline(__always)
  private static func fold(_ bytes: UnsafeRawPointer, into lane: UInt64) -> UInt64 {
    let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    return product(first ^ 0x2D35_8DCC_AA6C_78A5, second ^ lane) &+ lane
  }

  @inline(__always)
  private static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }
}
