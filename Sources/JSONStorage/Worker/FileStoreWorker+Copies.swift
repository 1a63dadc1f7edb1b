extension FileStoreWorker {
  /// Saves a version in the history.
  func saveHistory(_ content: some FileContent) -> Result<String, StorageError> {
    Result { () throws(StorageError) in
      guard options.synchronization != .ephemeral, let status else {
        throw StorageError(.unavailable, "'\(location.path)' is not written to and has no history.")
      }
      let directory = try openDirectory()
      defer { try? fileSystem.close(directory) }
      do throws(SystemError) {
        return try FileHistory(location: location, fileSystem: fileSystem)
          .save(content, in: directory, like: FileModel(status: status), durably: options.synchronization == .full)
      } catch {
        throw StorageError(error, when: "save the history of", location.path)
      }
    }
  }

  /// Writes a version to another file.
  func snapshot(_ content: Content, to path: String) -> Result<String, StorageError> {
    Result { () throws(StorageError) in
      do throws(SystemError) {
        guard let status else { throw SystemError.nothingWritten }
        return try fileSystem.writeFile(
          content, to: path, like: FileModel(status: status), durably: options.synchronization == .full)
      } catch {
        throw StorageError(error, when: "write", path)
      }
    }
  }
}
