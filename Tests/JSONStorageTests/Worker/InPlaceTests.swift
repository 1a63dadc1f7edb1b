import Foundation
import OrderedJSON
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
    #expect(try open.publish("[0,1,2,3]").summary == "failed durabilityUnknown")
    open.store.close()
    #expect(directory.text()?.hasPrefix("[0]1") == true)
    let again = try OpenStore(directory.path("db.json"))
    #expect(again.version.text.string == "[0,1,2,3]")
    again.store.close()
  }
}
