import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Files that cannot be replaced, as when something is mounted on them.
struct InPlaceTests {
  @Test func `A longer version whose beginning cannot be taken back is recovered at the next start`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    fileSystem.script.restart { [script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
      if call == "ftruncate" { throw SystemError(call, EIO) }
      guard call == "write", let rename = script.calls.lastIndex(of: "rename") else { return }
      if script.calls[rename...].count(where: { $0 == "write" }) > 1 { throw SystemError(call, ENOSPC) }
    }
    #expect(try open.publish("[0,1,2,3]").summary == "uncertain")
    open.close()
    #expect(directory.text()?.hasPrefix("[0]1") == true)
    let again = try OpenStore(directory.path("db.json"))
    #expect(again.version.string == "[0,1,2,3]")
    again.close()
  }

  /// Has the write in place fail when it has overwritten a part of the file.
  private func tear(_ fileSystem: FaultyFileSystem) {
    fileSystem.script.restart { [script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
      guard call == "write", let rename = script.calls.lastIndex(of: "rename") else { return }
      if script.calls[rename...].count(where: { $0 == "write" }) > 1 { throw SystemError(call, EIO) }
    }
  }

  private func heal(_ fileSystem: FaultyFileSystem) {
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
    }
  }

  @Test(arguments: [true, false])
  func `An edit of a file that was written in part is not replaced at the next start`(_ isWatched: Bool) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0,1,2,3]")
    let fileSystem = FaultyFileSystem()
    fileSystem.isMounted = true
    let open = try OpenStore(
      directory.path("db.json"), watching: isWatched ? .on : .off, fileSystem: fileSystem)
    tear(fileSystem)
    #expect(try open.publish("[4,5,6,7]").summary == "uncertain")
    heal(fileSystem)
    try directory.write("[9]")
    if isWatched {
      #expect(try open.edits.next().summary == "changed [9] 1")
    } else {
      #expect(try open.publish("[4]").summary == "edited [9] 1")
    }
    open.close()
    let again = try OpenStore(directory.path("db.json"))
    #expect(again.version.string == "[9]")
    again.close()
    #expect(directory.names == ["db.json"])
  }

  @Test func `A file that was written in part is whole after the next write`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0,1,2,3]")
    let fileSystem = FaultyFileSystem()
    fileSystem.isMounted = true
    let open = try OpenStore(directory.path("db.json"), watching: .on, fileSystem: fileSystem)
    for text in ["[4,5,6,7]", "[5,6,7,8]"] {
      tear(fileSystem)
      #expect(try open.publish(text).summary == "uncertain")
      #expect(directory.text(".db.json.recovery") == text)
    }
    heal(fileSystem)
    #expect(try open.publish("[6,7,8,9]").summary == "published")
    #expect(directory.text() == "[6,7,8,9]")
    open.close()
    #expect(open.edits.isEmpty)
    #expect(directory.names == ["db.json"])
  }

  @Test(arguments: ["[4,5,6,7]", "[4,5,6,7,8]"])
  func `A recovery file that is cut off while it is copied is no success`(_ text: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0,1,2,3]")
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    fileSystem.script.restart { [script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
      guard call == "read", let rename = script.calls.lastIndex(of: "rename") else { return }
      if script.calls[rename...].count(where: { $0 == "read" }) == 1 {
        #expect(throws: Never.self) { try directory.write("[", to: ".db.json.recovery") }
      }
    }
    let publication = try open.publish(text)
    #expect(publication.summary != "published")
    if case .failed = publication {
      #expect(directory.text() == "[0,1,2,3]")
    }
    open.close()
  }
}
