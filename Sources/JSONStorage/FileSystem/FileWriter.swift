/// Writes slices to a file from its start and hashes them on the way.
///
/// Small slices are gathered so that 100,000 of them take a few hundred calls; large ones are written without a copy.
struct FileWriter {
  private static let bufferSize = 256 << 10
  private static let largeSlice = 64 << 10

  private let file: FileDescriptor
  private let fileSystem: any FileSystem
  private var buffer: [UInt8] = []
  private var hasher = ContentHasher()
  private var offset = 0

  init(_ file: FileDescriptor, in fileSystem: any FileSystem) {
    self.file = file
    self.fileSystem = fileSystem
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Writes a whole content and returns its hash.
  mutating func write(_ content: some FileContent) throws(SystemError) -> ContentHash {
    do {
      try content.forEachSlice { try append($0) }
    } catch let error as SystemError {
      throw error
    } catch {
      // `forEachSlice` rethrows, so it can throw nothing but our own error.
      preconditionFailure("\(error)")
    }
    try flush()
    return hasher.finish()
  }

  private mutating func append(_ slice: UnsafeBufferPointer<UInt8>) throws(SystemError) {
    if slice.count >= Self.largeSlice {
      try flush()
      try write(UnsafeRawBufferPointer(slice))
    } else {
      if buffer.count + slice.count > Self.bufferSize { try flush() }
      buffer.append(contentsOf: slice)
    }
  }

  private mutating func flush() throws(SystemError) {
    // Moved out for the call: a second reference would cost a new buffer afterwards.
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    var failure: SystemError?
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) { try write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &buffer)
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    guard !bytes.isEmpty else { return }
    hasher.update(bytes)
    try fileSystem.writeAll(bytes, to: file, at: offset)
    offset += bytes.count
  }
}
