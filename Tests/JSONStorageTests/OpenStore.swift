import Foundation
import JSONServerValues
import Testing

@testable import JSONStorage

/// A store over a temporary file, with its edits collected.
struct OpenStore {
  let store: FileStore
  let file: FileStore.File
  let version: LoadedFile
  let warnings: [FileWarning]
  let edits: Inbox<SourceEdit>

  init(
    _ path: String,
    synchronization: Persistence.Durability = .fast,
    watching: Persistence.Watching = .off,
    timing: FileStoreOptions.Timing = .short,
    fileSystem: FileSystem = FileSystem()
  ) throws {
    let edits = Inbox<SourceEdit>()
    var options = FileStoreOptions(synchronization: synchronization, watching: watching)
    options.timing = timing
    store = FileStore(options: options, fileSystem: fileSystem, onEdit: edits.send)
    let opening = try store.open(path, parse: Self.parse)
    file = opening.file
    version = opening.version
    warnings = opening.warnings
    self.edits = edits
  }

  /// Accepts JSON.
  static let parse: FileStore.Parse = { text in
    var scanner = JSONScanner(text)
    _ = try scanner.scanDocument()
    return .text(text)
  }

  /// Publishes a version and waits for the result.
  func publish(_ text: String, onto generation: Int = 0) throws -> CommitResult {
    let answers = Inbox<CommitResult>()
    publish(UTF8Slice(text), onto: generation, completion: answers.send)
    return try answers.next()
  }

  func publish(
    _ content: some FileContent, onto generation: Int, completion: @escaping @Sendable (CommitResult) -> Void
  ) {
    store.publish([FileStore.Write(content, to: file, onto: generation)], completion: completion)
  }

  func saveHistory(_ content: UTF8Slice, completion: @escaping @Sendable (Result<String, StorageError>) -> Void) {
    store.saveHistory([(file, content)], completion: completion)
  }

  func writeCopy(
    _ content: UTF8Slice, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    store.writeCopy(content, to: path, like: file, completion: completion)
  }

  func close() { store.close() }
}

extension LoadedFile {
  /// The text of a file of a test.
  var string: String { if case .text(let text) = content { text.string } else { "" } }
}

extension LoadedSource {
  fileprivate var summary: String { file.map { "\($0.string) \($0.generation)" } ?? "newer" }
}

extension FileStoreOptions.Timing {
  /// Waits short enough for a test.
  static var short: Self {
    var timing = Self()
    timing.debounce = .milliseconds(5)
    timing.idleInterval = .milliseconds(20)
    timing.busyInterval = .milliseconds(20)
    timing.grace = .milliseconds(60)
    timing.publishTimeout = .milliseconds(300)
    timing.replacedHold = .milliseconds(50)
    return timing
  }
}

/// The outcome of a publish, in a form that can be compared.
extension CommitResult {
  var summary: String {
    switch self {
    case .done: "published"
    case .moved(to: let version): "edited \(version.summary)"
    case .uncertain: "uncertain"
    case .failed(let error): "failed \(error.code)"
    }
  }
}

extension SourceEdit {
  var summary: String {
    switch self {
    case .changed(let version): "changed \(version.summary)"
    case .invalid(let error): "invalid \(error.code)"
    case .deleted: "deleted"
    case .restored: "restored"
    case .conflict(let path): "conflict \((try? String(contentsOfFile: path, encoding: .utf8)) ?? "-")"
    case .conflictLost(let error): "conflict lost \(error.code)"
    case .warned(let warning, _): "warned \(warning)"
    }
  }
}
