/// A text that equals another only when their bytes are equal.
///
/// Swift's strings compare canonically equivalent characters as equal; JavaScript's, and JSON's names, do not.
package struct ByteExactKey: Hashable, Sendable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    string = String(decoding: bytes, as: UTF8.self)
  }

  package static func == (left: ByteExactKey, right: ByteExactKey) -> Bool {
    var (left, right) = (left.string, right.string)
    return left.withUTF8 { left in right.withUTF8 { left.count == $0.count && left.elementsEqual($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
