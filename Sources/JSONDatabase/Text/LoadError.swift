package import OrderedJSON

/// Why a file's text cannot be served, and where in the text.
package struct LoadError: Error, Sendable, Hashable {
  /// A sentence for a person: what is wrong and what to do.
  package let message: String
  /// The place of the fault.
  package let position: TextPosition
  /// The offset of the fault in bytes.
  package let offset: Int

  package init(_ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    self.message = message
    self.offset = offset
    position = TextPosition(offset: offset, in: bytes)
  }

  package init(_ error: JSONError, in bytes: UnsafeBufferPointer<UInt8>) {
    self.init(error.message, at: error.offset, in: bytes)
  }
}

extension LoadError: CustomStringConvertible {
  package var description: String { "\(position.line):\(position.column): \(message)" }
}
