import Foundation
import JSONServerValues
import Testing

@testable import JSONStorage

/// One version of a file as it was read.
struct FileVersion<Content: Sendable>: Sendable {
  let content: Content
  let generation: Int
}

/// A store over a temporary file, with its edits collected.
struct OpenStore {
  let store: FileStore<FileVersion<UTF8Slice>>
  let version: FileVersion<UTF8Slice>
  let warnings: [FileStore<FileVersion<UTF8Slice>>.Warning]
  let edits: Inbox<FileEdit<FileVersion<UTF8Slice>>>

  init(
    _ path: String,
    synchronization: Persistence.Durability = .fast,
    watching: Persistence.Watching = .off,
    timing: FileStoreOptions.Timing = .short,
    fileSystem: FileSystem = FileSystem()
  ) throws {
    let edits = Inbox<FileEdit<FileVersion<UTF8Slice>>>()
    var options = FileStoreOptions(synchronization: synchronization, watching: watching)
    options.timing = timing
    let opening = try FileStore<FileVersion<UTF8Slice>>.open(
      path, options: options, fileSystem: fileSystem, parse: Self.parse, onEdit: edits.send)
    store = opening.store
    version = opening.version
    warnings = opening.warnings
    self.edits = edits
  }

  /// Accepts JSON.
  static let parse: @Sendable (UTF8Slice, Int) throws -> FileVersion<UTF8Slice> = { text, generation in
    var scanner = JSONScanner(text)
    _ = try scanner.scanDocument()
    return FileVersion(content: text, generation: generation)
  }

  /// Publishes a version and waits for the result.
  func publish(_ text: String, onto generation: Int = 0) throws -> Publication<FileVersion<UTF8Slice>> {
    let answers = Inbox<Publication<FileVersion<UTF8Slice>>>()
    store.publish(UTF8Slice(text), onto: generation, completion: answers.send)
    return try answers.next()
  }
}

extension FileStoreOptions.Timing {
  /// Waits short enough for a test.
  static var short: Self {
    var timing = Self()
    timing.debounce = .milliseconds(5)
    timing.pollInterval = .milliseconds(40)
    timing.grace = .milliseconds(60)
    timing.publishTimeout = .milliseconds(300)
    timing.replacedHold = .milliseconds(50)
    return timing
  }
}

/// The outcome of a publish, in a form that can be compared.
extension Publication<FileVersion<UTF8Slice>> {
  var summary: String {
    switch self {
    case .done: "published"
    case .moved(to: let version): "edited \(version.content.string) \(version.generation)"
    case .uncertain: "uncertain"
    case .failed(let error): "failed \(error.code)"
    }
  }
}

extension FileEdit<FileVersion<UTF8Slice>> {
  var summary: String {
    switch self {
    case .changed(let version): "changed \(version.content.string) \(version.generation)"
    case .invalid(let error): "invalid \(error.code)"
    case .deleted: "deleted"
    case .restored: "restored"
    case .conflict(let path): "conflict \((try? String(contentsOfFile: path, encoding: .utf8)) ?? "-")"
    case .conflictLost(let error): "conflict lost \(error.code)"
    case .warned(let warning, _): "warned \(warning)"
    }
  }
}
