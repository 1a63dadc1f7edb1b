import JSONServerValues

/// A complete file without its final name.
struct NewFile {
  let name: String
  let hash: ContentHash
  let stamp: FileStamp
}

/// The file whose mode, owner and attributes a new file gets.
struct FileModel {
  let status: FileStatus
  /// The file itself; `nil` when it cannot be read, or does not exist any more.
  var descriptor: FileDescriptor?
  /// Whether the file has an access list, so that its permissions alone do not tell who may do what.
  let hasAccessList: Bool
}

extension FileModel {
  init(_ reading: FileReading) {
    self.init(status: reading.status, hasAccessList: reading.hasAccessList)
  }
}

extension FileSystem {
  /// Returns an existing file as the model of a new one; `nil` when nothing has the name.
  func model(_ name: String, in directory: FileDescriptor) -> FileModel? {
    guard let status = try? status(name, in: directory) else { return nil }
    let file = try? open(name, in: directory, for: .reading)
    return FileModel(status: status, descriptor: file, hasAccessList: file.map(hasAccessList) ?? true)
  }

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

  /// Gives a new file the owner, permissions, attributes and access list of another file, as far as permitted, and never
  /// wider access.
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
        // Members of the old group may now be among the others, and the reverse: each gets what both had.
        let both = permissions & permissions >> 3 & 0o007
        permissions = permissions & 0o700 | both << 3 | both
        isGroupKept = false
      }
    }
    // Before the permissions, which would let the list of a new file's directory take effect.
    let isListKept = try copyAccessList(from: model.descriptor, to: file, isGroupKept: isGroupKept)
    // Without the list, the permissions would mean something else.
    if !isListKept || model.hasAccessList && model.descriptor == nil { permissions &= 0o700 }
    try grant(permissions, to: file)
    if let source = model.descriptor { try copyAttributes(from: source, to: file, isGroupKept: isGroupKept) }
  }

  /// Gives a new file these permissions. Where the file system has no permissions of its own, as CIFS, the file keeps
  /// what it was created with, unless that is wider.
  private func grant(_ permissions: UInt32, to file: FileDescriptor) throws(SystemError) {
    let created = try status(of: file).permissions
    guard created != permissions else { return }
    do {
      try setPermissions(permissions, of: file)
    } catch {
      guard error.isNotPermitted || error.isUnsupported, created & ~permissions == 0 else { throw error }
    }
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
