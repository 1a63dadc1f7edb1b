import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// What publishing promises when system calls fail (G1 to G3).
struct FaultTests {
  private let directory: TemporaryDirectory
  private let fileSystem = FaultyFileSystem()

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("[0]")
  }

  private func open() throws -> OpenStore {
    var timing = FileStoreOptions.Timing.short
    // So that a check of the replaced file does not mix with the publish.
    timing.replacedHold = .seconds(60)
    return try OpenStore(directory.path("db.json"), synchronization: .full, timing: timing, fileSystem: fileSystem)
  }

  @Test func `A version is ordered before it is put in place and its directory synced after`() throws {
    let open = try open()
    fileSystem.script.restart()
    #expect(try open.publish("[1]").summary == "published")
    let order = fileSystem.script.calls.filter {
      ["open creating", "write", "fchown", "setacl", "fchmod", "setxattr", "barrier", "exchange", "fsync", "unlink"]
        .contains($0)
    }
    #expect(
      order == [
        "open creating", "write", "write", "fchown", "setacl", "fchmod", "setxattr", "barrier", "exchange", "fsync",
        "unlink",
      ])
    open.close()
    #expect(fileSystem.script.openCount == 0)
    #expect(directory.names == ["db.json"])
  }

  @Test func `Without full synchronization nothing is synced`() throws {
    let open = try OpenStore(directory.path("db.json"), synchronization: .fast, fileSystem: fileSystem)
    #expect(try open.publish("[1]").summary == "published")
    open.close()
    #expect(!fileSystem.script.calls.contains { $0 == "barrier" || $0 == "fsync" })
  }

  @Test(arguments: [EIO, ENOSPC, EDQUOT, EACCES, EPERM, ENOENT, EINVAL, EBUSY, EXDEV, ENOMEM, EROFS])
  func `Whichever call fails, a refused version is absent and the next is published`(_ number: Int32) throws {
    let counting = try open()
    fileSystem.script.restart()
    #expect(try counting.publish("[1]").summary == "published")
    let count = fileSystem.script.calls.count
    counting.close()
    for failing in 0..<count {
      try directory.write("[0]")
      let open = try open()
      fileSystem.script.restart { (index, call) throws(SystemError) in
        if index == failing { throw SystemError(call, number) }
      }
      let publication = try open.publish("[1]")
      let call = fileSystem.script.calls[failing]
      fileSystem.script.restart()
      let context = Comment(rawValue: "\(call), call \(failing) of \(count): \(publication.summary)")
      switch publication {
      case .done: #expect(directory.text() == "[1]", context)
      case .moved: Issue.record(context)
      case .uncertain:
        #expect(call == "fsync" && directory.text() == "[1]", context)
      case .failed(let error):
        #expect(directory.text() == "[0]", context)
        #expect((error.code == .noSpace) == [ENOSPC, EDQUOT].contains(number), context)
        #expect(directory.names == [".db.json.lock", "db.json"], context)
      }
      #expect(try open.publish("[2]").summary == "published", context)
      #expect(directory.text() == "[2]", context)
      open.close()
      // A name that cannot be removed is left to the next start.
      #expect(directory.names.filter { call != "unlink" || !$0.hasSuffix(".tmp") } == ["db.json"], context)
      #expect(fileSystem.script.openCount == 0, context)
      try directory.shell("rm -rf .db.json.* db.json")
    }
  }

  @Test func `A directory that cannot be synced leaves durability unknown`() throws {
    let open = try open()
    fileSystem.script.restart { [script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "fsync", script.calls.contains("exchange") { throw SystemError(call, EIO) }
    }
    #expect(try open.publish("[1]").summary == "uncertain")
    #expect(directory.text() == "[1]")
    open.close()
  }

  @Test(arguments: [EINVAL, ENOTSUP])
  func `Where directories cannot be synced at all, a version is published and saved all the same`(_ number: Int32)
    throws
  {
    let open = try open()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "fsync" { throw SystemError(call, number) }
    }
    #expect(try open.publish("[1]").summary == "published")
    let saved = Inbox<Result<String, StorageError>>()
    open.saveHistory(UTF8Slice("[0]"), completion: saved.send)
    #expect(directory.text(".db.json.history/\(try FileLocation.split(saved.next().get()).name)") == "[0]")
    open.close()
    #expect(directory.text() == "[1]")
  }

  @Test(arguments: [EPERM, ENOTSUP])
  func `Where permissions cannot be set, a version is published`(_ number: Int32) throws {
    let open = try open()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "fchmod" { throw SystemError(call, number) }
    }
    #expect(try open.publish("[1]").summary == "published")
    open.close()
    #expect(directory.text() == "[1]")
  }

  @Test func `Where names cannot be exchanged, an edit that is renamed to the name during the check stays`() throws {
    let open = try open()
    fileSystem.script.restart { [directory, script = fileSystem.script] (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EINVAL) }
      guard call == "read", script.calls.contains("exchange") else { return }
      script.restart()
      #expect(throws: Never.self) { try directory.save("[7]") }
    }
    #expect(try open.publish("[1]").summary == "edited [7] 1")
    open.close()
    #expect(directory.text() == "[7]")
  }

  @Test func `A file that was in use for a moment is replaced the next time, not written in place`() throws {
    fileSystem.isMounted = false
    let open = try open()
    let inode = try fileNumber()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
    }
    #expect(try open.publish("[1]").summary == "failed unavailable")
    #expect(directory.text() == "[0]")
    fileSystem.script.restart()
    #expect(try open.publish("[1]").summary == "published")
    #expect(try fileNumber() != inode)
    open.close()
    #expect(open.edits.isEmpty)
  }

  @Test(arguments: [EINVAL, ENOSYS, ENOTSUP, EXDEV])
  func `Where names cannot be exchanged, an edit is still found before it is replaced`(_ number: Int32) throws {
    fileSystem.isMounted = false
    let open = try open()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "exchange" || call == "rename exclusively" { throw SystemError(call, number) }
    }
    #expect(try open.publish("[1]").summary == "published")
    try directory.write("[7]")
    #expect(try open.publish("[2]").summary == "edited [7] 1")
    #expect(directory.text() == "[7]")
    #expect(try open.publish("[8]", onto: 1).summary == "published")
    open.close()
    #expect(directory.text() == "[8]")
    #expect(directory.names == ["db.json"])
  }

  @Test(arguments: ["[0,1,2,3]", "1"])
  func `A file that cannot be replaced is written in place`(_ text: String) throws {
    let open = try open()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
    }
    let inode = try fileNumber()
    #expect(try open.publish(text).summary == "published")
    #expect(directory.text() == text)
    #expect(try fileNumber() == inode)
    #expect(try open.edits.next().summary == "warned mountPoint")
    try directory.write("[7]")
    #expect(try open.publish("[2]").summary == "edited [7] 1")
    open.close()
    #expect(directory.text() == "[7]")
    #expect(directory.names == ["db.json"])
  }

  @Test func `A mount whose source was replaced is not written to`() throws {
    fileSystem.isStale = true
    let open = try OpenStore(directory.path("db.json"), fileSystem: fileSystem)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "exchange" { throw SystemError(call, EBUSY) }
    }
    #expect(try open.publish("[1]").summary == "failed staleMount")
    open.close()
    #expect(directory.text() == "[0]")
    #expect(directory.names == ["db.json"])
  }

  private func fileNumber() throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: directory.path("db.json"))[.systemFileNumber] as? Int
  }

  @Test func `An edit in the instant before the exchange comes back, and so does one before the exchange back`() throws
  {
    let open = try open()
    fileSystem.script.restart { [directory] (_, call) throws(SystemError) in
      guard call == "exchange" else { return }
      let isFirst = directory.text() == "[0]"
      do {
        try directory.write(isFirst ? "[7]" : "[8]", to: "saved")
        try directory.shell("mv saved db.json")
      } catch {
        Issue.record(error)
      }
      if !isFirst { fileSystem.script.restart() }
    }
    #expect(try open.publish("[1]").summary == "edited [8] 1")
    #expect(directory.text() == "[8]")
    // The editor that saved "[8]" had read our version, not "[7]".
    #expect(try open.edits.next().summary == "conflict [7]")
    #expect(try open.edits.next().summary == "changed [8] 1")
    open.close()
    #expect(directory.names.count == 2)
  }

  @Test func `A save into our version while it is in the place for an instant is kept`() throws {
    let open = try open()
    fileSystem.script.restart { [directory, script = fileSystem.script] (_, call) throws(SystemError) in
      guard call == "exchange" else { return }
      do {
        if directory.text() == "[0]" {
          try directory.shell("printf '[7]' > saved; mv saved db.json")
        } else {
          script.restart()
          try directory.shell("printf '[1,8]' > db.json")
        }
      } catch {
        Issue.record(error)
      }
    }
    #expect(try open.publish("[1]").summary == "edited [7] 1")
    #expect(directory.text() == "[7]")
    open.close()
    #expect(try open.edits.next().summary == "changed [7] 1")
    #expect(try open.edits.next().summary == "conflict [1,8]")
    #expect(directory.names.count == 2)
  }

  @Test func `A save by someone who read the file while an edit was out of it leaves that edit beside the file`() throws
  {
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .seconds(60)
    let open = try OpenStore(directory.path("db.json"), timing: timing, fileSystem: fileSystem)
    fileSystem.script.restart { [directory, script = fileSystem.script] (_, call) throws(SystemError) in
      guard call == "exchange" else { return }
      script.restart()
      do { try directory.shell("printf '[7]' > saved; mv saved db.json") } catch { Issue.record(error) }
    }
    #expect(try open.publish("[1]").summary == "edited [7] 1")
    #expect(try open.publish("[7,1]", onto: 1).summary == "published")
    try directory.write("[1,8]", to: "saved")
    try directory.shell("mv saved db.json")
    #expect(try open.publish("[7,1,2]", onto: 1).summary == "edited [1,8] 2")
    #expect(
      try (0..<3).map { _ in try open.edits.next().summary } == ["changed [7] 1", "conflict [7]", "changed [1,8] 2"])
    open.close()
  }

  @Test func `Several late saves at one time are all kept`() throws {
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .seconds(10)
    let open = try OpenStore(directory.path("db.json"), timing: timing, fileSystem: fileSystem)
    var editors: [FileHandle] = []
    for number in 1...8 {
      editors.append(try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("db.json"))))
      #expect(try open.publish("[\(number)]").summary == "published")
    }
    for editor in editors {
      try editor.write(contentsOf: Data("[9]".utf8))
      try editor.close()
    }
    open.close()
    for _ in editors { #expect(try open.edits.next().summary == "conflict [9]") }
    #expect(directory.names.count == 9)
  }

  @Test func `A save into a replaced version is kept and announced`() throws {
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .milliseconds(200)
    let open = try OpenStore(directory.path("db.json"), timing: timing, fileSystem: fileSystem)
    let editor = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("db.json")))
    #expect(try open.publish("[1]").summary == "published")
    try editor.write(contentsOf: Data("[7]".utf8))
    try editor.close()
    guard case .conflict(let path) = try open.edits.next() else {
      Issue.record("No conflict was announced.")
      return
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "[7]")
    #expect(path.hasPrefix(directory.path(".db.json.conflict-")))
    #expect(directory.text() == "[1]")
    open.close()
    #expect(directory.names.count == 2)
  }
}
