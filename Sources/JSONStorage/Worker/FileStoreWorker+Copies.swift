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
        let target = try FileLocation(path, in: fileSystem)
        let directory = try fileSystem.openDirectory(target.directory)
        defer { try? fileSystem.close(directory) }
        let isDurable = options.synchronization == .full
        let newFile = try fileSystem.writeNewFile(
          content, named: target.temporaryName(), in: directory, like: FileModel(status: status), durably: isDurable)
        do throws(SystemError) {
          try fileSystem.rename(newFile.name, to: target.name, in: directory)
        } catch {
          try? fileSystem.unlink(newFile.name, in: directory)
          throw error
        }
        if isDurable { try fileSystem.synchronize(directory) }
        return target.path
      } catch {
        throw StorageError(error, when: "write", path)
      }
    }
  }
}
