import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Versions of several files that are published together: all or none.
struct SeveralFilesTests {
  private let directory: TemporaryDirectory
  private let fileSystem = FaultyFileSystem()

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["a.json", "b.json"] { try directory.write("[0]", to: name) }
  }

  /// Publishes a version of each file, which may fail, and then others, which must not; returns the first result.
  private func publish(_ hook: @escaping FaultyFileSystem.Script.Hook) throws -> String {
    let edits = Inbox<SourceEdit>()
    var options = FileStoreOptions(synchronization: .full, watching: .off)
    options.timing = .short
    options.timing.replacedHold = .seconds(60)
    let store = FileStore(options: options, fileSystem: fileSystem, onEdit: edits.send)
    let files = try ["a.json", "b.json"].map { try store.open(directory.path($0), parse: OpenStore.parse).file }
    fileSystem.script.restart(hook)
    let results = Inbox<CommitResult>()
    store.publish(files.map { FileStore.Write(UTF8Slice("[1]"), to: $0, onto: 0) }, completion: results.send)
    let result = try results.next().summary
    fileSystem.script.restart()
    if result != "published" && result != "uncertain" {
      #expect(directory.text("a.json") == "[0]" || directory.text("a.json") == "[7]")
    }
    for (file, name) in zip(files, ["a.json", "b.json"]) where directory.text(name) != "[7]" {
      store.publish([FileStore.Write(UTF8Slice("[2]"), to: file, onto: 0)], completion: results.send)
      #expect(try results.next().summary == "published")
      #expect(directory.text(name) == "[2]")
    }
    store.close()
    #expect(fileSystem.script.openCount == 0)
    while !edits.isEmpty { #expect(try edits.next().summary == "changed [7] 1") }
    return result
  }

  @Test func `Both are replaced, and their directory is synced once`() throws {
    let synced = Inbox<Void>()
    let result = try publish { (_, call) throws(SystemError) in
      if call == "fsync" { synced.send(()) }
    }
    #expect(result == "published")
    try synced.next()
    #expect(synced.isEmpty)
    #expect(directory.names == ["a.json", "b.json"])
  }

  @Test func `None is replaced when one cannot be written`() throws {
    let exchanges = Inbox<Void>()
    let result = try publish { [script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "exchange" { exchanges.send(()) }
      if call == "access", script.calls.contains("barrier") { throw SystemError(call, EACCES) }
    }
    #expect(result == "failed unavailable")
    #expect(exchanges.isEmpty)
    #expect(directory.names == ["a.json", "b.json"])
  }

  @Test func `The first is put back when the second cannot be replaced after all`() throws {
    let result = try publish { [script = fileSystem.script] (index, call) throws(SystemError) in
      if call == "exchange", script.calls[..<index].count(where: { $0 == call }) == 1 { throw SystemError(call, EIO) }
    }
    #expect(result == "failed unavailable")
    #expect(directory.names == ["a.json", "b.json"])
  }

  @Test func `The first is put back when the second was edited in the last instant`() throws {
    let result = try publish { [directory, script = fileSystem.script] (index, call) throws(SystemError) in
      guard call == "exchange", script.calls[..<index].count(where: { $0 == call }) == 1 else { return }
      #expect(throws: Never.self) { try directory.save("[7]", over: "b.json") }
    }
    #expect(result == "edited [7] 1")
    #expect(directory.text("b.json") == "[7]")
    #expect(directory.names == ["a.json", "b.json"])
  }

  @Test func `A save into the first before it is put back stays`() throws {
    let result = try publish { [directory, script = fileSystem.script] (index, call) throws(SystemError) in
      guard call == "exchange" else { return }
      switch script.calls[..<index].count(where: { $0 == call }) {
      case 0: break
      case 1: throw SystemError(call, EIO)
      case 2: #expect(throws: Never.self) { try directory.save("[7]", over: "a.json") }
      case _: break
      }
    }
    #expect(result == "failed unavailable")
    #expect(directory.text("a.json") == "[7]")
    #expect(directory.names == ["a.json", "b.json"])
  }

  @Test func `An edit of the file that was put back is no late save`() throws {
    let result = try publish { [directory, script = fileSystem.script] (index, call) throws(SystemError) in
      let exchanges = script.calls[..<index].count(where: { $0 == "exchange" })
      if call == "exchange", exchanges == 1 { throw SystemError(call, EIO) }
      if call == "unlink", exchanges == 3, directory.text("a.json") == "[0]" {
        #expect(throws: Never.self) { try directory.write("[7]", to: "a.json") }
      }
    }
    #expect(result == "failed unavailable")
    #expect(directory.text("a.json") == "[7]")
  }

  @Test func `It is said when the first stays although the second could not be replaced`() throws {
    let result = try publish { [script = fileSystem.script] (index, call) throws(SystemError) in
      if call == "exchange", script.calls[..<index].contains(call) { throw SystemError(call, EIO) }
    }
    #expect(result == "uncertain")
  }
}
