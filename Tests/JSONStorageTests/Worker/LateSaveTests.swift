import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Saves into versions that were replaced already (R4).
struct LateSaveTests {
  @Test func `A save is kept although many versions followed within the time it has`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .seconds(60)
    let open = try OpenStore(directory.path("db.json"), timing: timing)
    let editor = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("db.json")))
    for number in 1...64 { #expect(try open.publish("[\(number)]").summary == "published") }
    try editor.write(contentsOf: Data("[7]".utf8))
    try editor.close()
    open.close()
    #expect(try open.edits.next(within: 0).summary == "conflict [7]")
    #expect(open.edits.isEmpty)
    #expect(directory.text() == "[64]")
  }

  @Test func `A save in two parts is kept as a whole`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let fileSystem = FaultyFileSystem()
    let reviews = Inbox<Void>()
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .milliseconds(500)
    let open = try OpenStore(directory.path("db.json"), timing: timing, fileSystem: fileSystem)
    let editor = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("db.json")))
    #expect(try open.publish("[1]").summary == "published")
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "read" { reviews.send(()) }
    }
    // Valid, together with the rest of the old version.
    try editor.write(contentsOf: Data("[7".utf8))
    for _ in 1...4 { try reviews.next() }
    try editor.write(contentsOf: Data(",8]".utf8))
    try editor.close()
    var kept = ""
    repeat { kept = try open.edits.next().summary } while kept == "conflict [7]"
    #expect(kept == "conflict [7,8]")
    open.close()
    #expect(directory.names.count == 2)
  }

  @Test(arguments: ["open creating", "write", "open directory", "fstat", "read"])
  func `A save that cannot be kept is announced as lost, not as an invalid file`(_ failing: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .seconds(60)
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), timing: timing, fileSystem: fileSystem)
    let editor = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("db.json")))
    #expect(try open.publish("[1]").summary == "published")
    try editor.write(contentsOf: Data("[7]".utf8))
    try editor.close()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == failing { throw SystemError(call, EIO) }
    }
    open.close()
    #expect(try open.edits.next(within: 0).summary == "conflict lost unavailable")
    #expect(open.edits.isEmpty)
    #expect(fileSystem.script.openCount == 0)
    #expect(directory.text() == "[1]")
  }
}
