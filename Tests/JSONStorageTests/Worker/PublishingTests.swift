import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

struct PublishingTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("{}")
  }

  @Test func `A published version is what the file holds`() throws {
    let open = try OpenStore(directory.path("db.json"))
    #expect(open.version.string == "{}")
    #expect(try open.publish(#"{"a":1}"#).summary == "published")
    #expect(directory.text() == #"{"a":1}"#)
    #expect(try open.publish(#"{"a":2}"#).summary == "published")
    open.close()
    #expect(directory.text() == #"{"a":2}"#)
    #expect(directory.names == ["db.json"])
  }

  @Test(arguments: [217, 240, 255]) func `A file with a long name is written, and has a history`(_ count: Int) throws {
    let name = String(repeating: "a", count: count)
    try directory.write("{}", to: name)
    let open = try OpenStore(directory.path(name))
    #expect(try open.publish(#"{"a":1}"#).summary == "published")
    let saved = Inbox<Result<String, StorageError>>()
    open.saveHistory(UTF8Slice("{}"), completion: saved.send)
    #expect(throws: Never.self) { try saved.next().get() }
    open.close()
    #expect(directory.text(name) == #"{"a":1}"#)
  }

  @Test func `An edit the publisher has not seen is returned and stays in the file`() throws {
    let open = try OpenStore(directory.path("db.json"))
    try directory.write("[7]")
    #expect(try open.publish("[1]").summary == "edited [7] 1")
    #expect(directory.text() == "[7]")
    #expect(try open.publish("[1]").summary == "edited [7] 1")
    #expect(try open.publish("[7,1]", onto: 1).summary == "published")
    open.close()
    #expect(directory.text() == "[7,1]")
    #expect(directory.names == ["db.json"])
  }

  @Test(arguments: [("mkdir", "not a file"), ("mkfifo", "not a file"), ("umask 222; touch", "read-only")])
  func `What cannot be replaced is reported for what it is`(_ command: String, _ reason: String) throws {
    let open = try OpenStore(directory.path("db.json"))
    try directory.shell("rm db.json; \(command) db.json")
    guard case .failed(let error) = try open.publish("[1]") else {
      Issue.record("It was replaced.")
      return
    }
    #expect(error.message.hasSuffix("db.json' is \(reason)."))
    open.close()
  }

  @Test func `A place that is never quiet is tried again only now and then`() throws {
    let fileSystem = FaultyFileSystem()
    var timing = FileStoreOptions.Timing.short
    timing.debounce = .milliseconds(100)
    let open = try OpenStore(directory.path("db.json"), watching: .on, timing: timing, fileSystem: fileSystem)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, ENOENT) }
      if call == "rename exclusively" { throw SystemError(call, EEXIST) }
    }
    #expect(try open.publish("[1]").summary == "failed unavailable")
    let calls = fileSystem.script.calls
    // Within 300 ms, at 0, 100, 200 and 300 ms.
    #expect((2...4).contains(calls.count(where: { $0 == "open creating" })))
    #expect(calls.count < 1000)
    fileSystem.script.restart()
    #expect(try open.publish("[2]").summary == "published")
    open.close()
    #expect(directory.text() == "[2]")
  }

  @Test func `Unwatched, a file is looked at for a publish alone, also after one that was refused`() throws {
    let open = try OpenStore(directory.path("db.json"))
    try directory.write("[7")
    #expect(try open.publish("[1]").summary == "failed invalidFile")
    #expect(try open.edits.next().summary == "invalid invalidFile")
    try directory.write("[8]")
    Thread.sleep(forTimeInterval: 0.2)
    #expect(open.edits.isEmpty)
    #expect(try open.publish("[1]").summary == "edited [8] 1")
    #expect(try open.edits.next().summary == "changed [8] 1")
    open.close()
  }

  @Test func `An invalid edit stays in the file and publishing fails`() throws {
    let open = try OpenStore(directory.path("db.json"))
    try directory.write("[7")
    #expect(try open.publish("[1]").summary == "failed invalidFile")
    #expect(directory.text() == "[7")
    try directory.write("[8]")
    #expect(try open.publish("[1]").summary == "edited [8] 1")
    open.close()
    #expect(directory.names == ["db.json"])
  }
}
