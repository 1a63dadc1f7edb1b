import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Versions that are written beside the file.
struct CopyTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("[0]")
  }

  @Test func `The history keeps the newest 20 versions, in order, and more of the last minutes`() throws {
    for day in 10..<35 { try directory.write("[]", to: ".db.json.history/2001-01-\(day)T00-00-00.000Z.json") }
    let open = try OpenStore(directory.path("db.json"))
    let saved = Inbox<Result<String, StorageError>>()
    var paths: [String] = []
    for number in 0..<23 {
      open.saveHistory(UTF8Slice("[\(number)]"), completion: saved.send)
      paths.append(try saved.next().get())
    }
    open.close()
    #expect(paths == paths.sorted())
    let kept = directory.names(in: ".db.json.history").map { directory.text(".db.json.history/\($0)") }
    #expect(kept == (0..<23).map { "[\($0)]" })
  }

  @Test func `The history of the last minutes has a limit`() throws {
    for age in 1...40 {
      let time = FileStamp.Time(seconds: WallClock.now.seconds - Int64(age), nanoseconds: 0)
      let name = ".db.json.history/\(WallClock.fileNamePart(of: time)).json"
      try directory.write("", to: name)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path(name)))
      try file.truncate(atOffset: 20 << 20)
      try file.close()
    }
    let open = try OpenStore(directory.path("db.json"))
    let saved = Inbox<Result<String, StorageError>>()
    open.saveHistory(UTF8Slice("[1]"), completion: saved.send)
    _ = try saved.next().get()
    open.close()
    // Twelve of the older ones, and the newest twenty.
    #expect(directory.names(in: ".db.json.history").count == 32)
  }

  @Test func `A link in the history's place is not followed`() throws {
    try directory.write("precious", to: "elsewhere/2001-02-03T04-05-06.789Z.json")
    try directory.link(".db.json.history", to: "elsewhere")
    let open = try OpenStore(directory.path("db.json"))
    let saved = Inbox<Result<String, StorageError>>()
    open.saveHistory(UTF8Slice("[1]"), completion: saved.send)
    let result = try saved.next()
    let error = #expect(throws: StorageError.self) { try result.get() }
    #expect(error?.message.contains("must be a directory") == true)
    open.close()
    #expect(directory.names(in: "elsewhere") == ["2001-02-03T04-05-06.789Z.json"])
  }

  @Test func `The history keeps files that the server did not make`() throws {
    let others = ["release-1.json", "2001-02-03T04-05-06.789Z-mine.json", "2001-02-03T04-05-06.789Z~a.json"]
    for name in others { try directory.write("[]", to: ".db.json.history/\(name)") }
    for day in 10..<30 { try directory.write("[]", to: ".db.json.history/2001-01-\(day)T00-00-00.000Z~12.json") }
    let open = try OpenStore(directory.path("db.json"))
    let saved = Inbox<Result<String, StorageError>>()
    open.saveHistory(UTF8Slice("[1]"), completion: saved.send)
    _ = try saved.next().get()
    open.close()
    let kept = directory.names(in: ".db.json.history")
    #expect(kept.count == 20 + others.count)
    #expect(Set(others).isSubset(of: kept))
  }

  @Test func `The history keeps what was saved since the clock was set back`() throws {
    for day in 10..<30 { try directory.write("[]", to: ".db.json.history/2999-01-\(day)T00-00-00.000Z.json") }
    let open = try OpenStore(directory.path("db.json"))
    let saved = Inbox<Result<String, StorageError>>()
    var paths: [String] = []
    for number in 0..<3 {
      open.saveHistory(UTF8Slice("[\(number)]"), completion: saved.send)
      paths.append(try saved.next().get())
    }
    open.close()
    let kept = directory.names(in: ".db.json.history")
    #expect(kept.count == 20)
    for path in paths { #expect(FileManager.default.fileExists(atPath: path)) }
  }

  @Test func `A new history directory is synced into its parent before a version in it counts`() throws {
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), synchronization: .full, fileSystem: fileSystem)
    let saved = Inbox<Result<String, StorageError>>()
    let versionSync = ["barrier", "rename exclusively", "fsync"]
    for order in [["mkdir", "fsync"] + versionSync, ["mkdir"] + versionSync] {
      fileSystem.script.restart()
      open.saveHistory(UTF8Slice("[1]"), completion: saved.send)
      _ = try saved.next().get()
      // Two versions of one millisecond want the same name: the second's rename is tried again.
      let calls = fileSystem.script.calls.reduce(into: [String]()) { calls, call in
        guard ["mkdir", "barrier", "fsync", "rename exclusively"].contains(call) else { return }
        if call != "rename exclusively" || calls.last != call { calls.append(call) }
      }
      #expect(calls == order)
    }
    open.close()
  }

  @Test func `A snapshot is written whole over what was there`() throws {
    try directory.shell("mkdir snapshots; echo old > snapshots/a.json")
    let open = try OpenStore(directory.path("db.json"), synchronization: .full)
    let saved = Inbox<Result<String, StorageError>>()
    open.writeCopy(UTF8Slice("[1]"), to: directory.path("snapshots/a.json"), completion: saved.send)
    #expect(try saved.next().get() == directory.path("snapshots/a.json"))
    open.writeCopy(UTF8Slice("[1]"), to: directory.path("none/a.json"), completion: saved.send)
    #expect(throws: StorageError.self) { try saved.next().get() }
    open.close()
    #expect(directory.text("snapshots/a.json") == "[1]")
    #expect(directory.names(in: "snapshots") == ["a.json"])
    #expect(directory.text() == "[0]")
  }
}
