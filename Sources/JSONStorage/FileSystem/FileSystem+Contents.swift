import OrderedJSON

/// The result of reading a whole file.
struct FileReading {
  let text: UTF8Slice
  let hash: ContentHash
  let status: FileStatus
  /// Whether a later change of the file must show in the stamp.
  let isSettled: Bool
}

extension FileSystem {
  /// Reads a whole file straight into its storage.
  ///
  /// A file that changes while it is read is read again, up to five times; after that the stamp is the one from before,
  /// so that the next check finds a difference.
  func contents(of name: String, in directory: FileDescriptor) throws(SystemError) -> FileReading {
    let file = try open(name, in: directory, for: .reading)
    defer { try? close(file) }
    return try contents(of: file)
  }

  func contents(of file: FileDescriptor) throws(SystemError) -> FileReading {
    var attempt = 1
    while true {
      let status = try status(of: file)
      let now = WallClock.now
      let text = try text(of: file, expecting: status.stamp.size)
      let isWhole = try self.status(of: file).stamp == status.stamp && text.count == status.stamp.size
      if isWhole || attempt == 5 {
        return FileReading(
          text: text,
          hash: ContentHash(of: UnsafeRawBufferPointer(text.bytes)),
          status: status,
          isSettled: status.stamp.changed.isSettled(at: now)
        )
      }
      attempt += 1
    }
  }

  private func text(of file: FileDescriptor, expecting size: Int) throws(SystemError) -> UTF8Slice {
    var failure: SystemError?
    let storage = UTF8Buffer(capacity: size) { buffer, count in
      do throws(SystemError) {
        while count < size {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
          let read = try self.read(file, into: rest, at: count)
          guard read > 0 else { return }
          count += read
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return UTF8Slice(storage)
  }

  /// Hashes a file without keeping its bytes.
  func hash(of file: FileDescriptor) throws(SystemError) -> ContentHash {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var hasher = ContentHasher()
    var offset = 0
    while true {
      let count = try read(file, into: buffer, at: offset)
      guard count > 0 else { return hasher.finish() }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  /// Copies a range of bytes to the same position in another file; fails when the source has fewer.
  func copy(_ range: Range<Int>, from source: FileDescriptor, to target: FileDescriptor) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(buffer.count, range.upperBound - offset)
      let count = try read(source, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
      guard count > 0 else { throw SystemError.nothingWritten }
      try writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: target, at: offset)
      offset += count
    }
  }

  /// Writes all bytes, in as many calls as it takes.
  func writeAll(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor, at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[written...]), to: file, at: offset + written)
      guard count > 0 else { throw SystemError.nothingWritten }
      written += count
    }
  }
}
