/// A complete file without its final name.
struct NewFile {
  let name: String
  let hash: ContentHash
  let stamp: FileStamp
}

/// The file whose mode, owner and attributes a new file gets.
struct FileModel {
  let status: FileStatus
  /// The file itself; `nil` when it does not exist any more.
  var descriptor: FileDescriptor?
}

extension FileSystem {
  /// Writes a content to a new file; removes the file after a failure.
  ///
  /// - Parameters:
  ///   - model: The file whose mode, owner and attributes the new file gets; `nil` for the defaults.
  ///   - durably: Whether the bytes must reach the medium before any name that the file gets later. Both survive a
  ///     power cut once the directory is synchronized.
  func writeNewFile(
    _ content: some FileContent, named name: String, in directory: FileDescriptor, like model: FileModel?, durably: Bool
  ) throws(SystemError) -> NewFile {
    let file = try open(name, in: directory, for: model == nil ? .creatingReadable : .creating)
    do throws(SystemError) {
      var writer = FileWriter(file, in: self)
      let hash = try writer.write(content)
      if let model { try apply(model, to: file) }
      if durably { try order(file) }
      let stamp = try status(of: file).stamp
      try file.close()
      return NewFile(name: name, hash: hash, stamp: stamp)
    } catch {
      try? unlink(name, in: directory)
      throw error
    }
  }

  /// Gives a file the owner, permissions and attributes of another file, as far as permitted, and never wider access.
  private func apply(_ model: FileModel, to file: FileDescriptor) throws(SystemError) {
    var permissions = model.status.permissions
    var isGroupKept = true
    do {
      try setOwner(model.status.owner, group: model.status.group, of: file)
    } catch {
      guard error.isNotPermitted || error.isUnsupported else { throw error }
      // Set-user-ID would now mean another user.
      permissions &= 0o777
      do {
        try setOwner(nil, group: model.status.group, of: file)
      } catch {
        guard error.isNotPermitted || error.isUnsupported else { throw error }
        // The group differs: it gets no more rights than everyone has.
        permissions &= 0o707 | (permissions & 0o007) << 3
        isGroupKept = false
      }
    }
    try setPermissions(permissions, of: file)
    // The access list has an entry for the group, which would give another group these rights.
    if let source = model.descriptor { try copyAttributes(from: source, to: file, includingAccessList: isGroupKept) }
  }
}

/// Writes slices to a file from its start and hashes them on the way.
///
/// Small slices are gathered so that 100,000 of them take a few hundred calls; large ones are written without a copy.
private struct FileWriter {
  private static let bufferSize = 256 << 10
  private static let largeSlice = 64 << 10

  private let file: FileDescriptor
  private let fileSystem: FileSystem
  private var buffer: [UInt8] = []
  private var hasher = ContentHasher()
  private var offset = 0

  init(_ file: FileDescriptor, in fileSystem: FileSystem) {
    self.file = file
    self.fileSystem = fileSystem
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Writes a whole content and returns its hash.
  mutating func write(_ content: some FileContent) throws(SystemError) -> ContentHash {
    try content.forEachSlice { slice throws(SystemError) in try append(slice) }
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
