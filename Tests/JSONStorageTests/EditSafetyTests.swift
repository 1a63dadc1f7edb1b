import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// What becomes of an edit when system calls fail (G5): its bytes are somewhere, also after the next start.
struct EditSafetyTests {
  private let directory: TemporaryDirectory
  private let fileSystem = FaultyFileSystem()

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("[0]")
  }

  @Test(arguments: [EIO, EEXIST])
  func `An edit that cannot be put back into an empty place is kept`(_ number: Int32) throws {
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    fileSystem.script.restart { [directory, script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "rename exclusively" { throw SystemError(call, number) }
      guard call == "exchange" else { return }
      if script.calls.filter({ $0 == "exchange" }).count == 1 {
        #expect(throws: Never.self) { try directory.save("[7]") }
      } else {
        try? FileManager.default.removeItem(atPath: directory.path("db.json"))
      }
    }
    #expect(try open.publish("[1]").summary == "uncertain")
    #expect(directory.texts.contains("[7]"))
    fileSystem.script.restart()
    #expect(try open.publish("[2]").summary == "published")
    open.close()
    try OpenStore(directory.path("db.json")).close()
    #expect(directory.text() == "[2]")
    #expect(directory.names(in: ".db.json.history").map { directory.text(".db.json.history/\($0)") } == ["[7]"])
  }

  @Test(.calculates, arguments: SafetyCase.all, [EIO, ENOENT, EINVAL, EBUSY])
  func `Whichever call fails, what must be kept is kept, also after a restart`(_ test: SafetyCase, _ number: Int32)
    throws
  {
    for failing in 0... {
      let run = try test.run { (index, call) throws(SystemError) in
        if index == failing { throw SystemError(call, number) }
      }
      guard failing < run.calls.count else { break }
      let context = Comment(rawValue: "\(run.calls[failing]), call \(failing) of \(run.calls.count)")
      #expect(run.missing(in: run.textsAtEnd) == [], context)
      #expect(run.missing(in: run.textsAfterRestart) == [], context)
      #expect(run.openCount == 0, context)
    }
  }
}
