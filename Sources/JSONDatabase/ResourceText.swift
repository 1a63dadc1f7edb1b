import OrderedJSON

/// One version of a resource's value as it stands in a file.
enum ResourceText: Sendable {
  case collection(CollectionText)
  case other(Text)

  init(_ resource: Resource) {
    switch resource {
    case .collection(let collection): self = .collection(collection.text)
    case .singular(let text), .unserved(let text): self = .other(text)
    }
  }

  /// Calls a closure with the text piece by piece, in order.
  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    switch self {
    case .collection(let collection): try collection.forEachSlice(body)
    case .other(let text): try text.withBytesRethrowing(body)
    }
  }
}
