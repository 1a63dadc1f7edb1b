extension FileSystem {
  /// Writes a content to a file, atomically; an existing file is replaced, also behind a symbolic link.
  ///
  /// - Parameters:
  ///   - model: Whose mode and owner the file gets; by default those of the file that it replaces.
  ///   - durably: Whether the file must survive a power cut before this returns.
  /// - Returns: The file's real path.
  func writeFile(
    _ content: some FileContent, to path: String, like model: FileModel? = nil, durably: Bool
  ) throws(SystemError) -> String {
    let target = try FileLocation(path, in: self)
    let directory = try openDirectory(target.directory)
    defer { try? close(directory) }
    let replaced = try? status(target.name, in: directory)
    let newFile = try writeNewFile(
      content, named: target.temporaryName(), in: directory,
      like: model ?? replaced.map { FileModel(status: $0) }, durably: durably)
    do throws(SystemError) {
      try rename(newFile.name, to: target.name, in: directory)
    } catch {
      try? unlink(newFile.name, in: directory)
      throw error
    }
    if durably { try synchronize(directory) }
    return target.path
  }
}

extension FileContent {
  /// Writes the bytes to a file, atomically and durably; an existing file is replaced and keeps its mode and owner.
  /// Blocks until that is done.
  ///
  /// - Returns: The file's real path.
  package func write(to path: String) throws(StorageError) -> String {
    CurrentProcess.ignoreFileSignals()
    do throws(SystemError) {
      return try SystemFileSystem().writeFile(self, to: path, durably: true)
    } catch {
      throw StorageError(error, when: "write", path)
    }
  }
}
