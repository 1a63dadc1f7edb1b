import Foundation
import JSONServerValues
import Synchronization
import TestSupport
import Testing

@testable import JSONStorage

/// What is found and cleaned up when a file is opened.
struct OpeningTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("db.json") }

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("[0]")
  }

  private func code(_ open: () throws -> Void) -> StorageError.Code? {
    do {
      try open()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  @Test func `A second store on the same file is refused by name of the process`() throws {
    let open = try OpenStore(path)
    do {
      _ = try OpenStore(path)
      Issue.record("The file was opened twice.")
    } catch let error as StorageError {
      #expect(error.code == .locked)
      #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
    }
    open.close()
    try OpenStore(path).close()
  }

  @Test func `An ephemeral store needs no lock and writes nothing`() throws {
    let open = try OpenStore(path)
    let ephemeral = try OpenStore(path, synchronization: .ephemeral)
    #expect(try ephemeral.publish("[1]").summary == "published")
    #expect(directory.text() == "[0]")
    ephemeral.close()
    open.close()
  }

  @Test(arguments: ["", "[", "nul", "\u{0}"])
  func `A file that cannot be parsed is not opened and not changed`(_ text: String) throws {
    try directory.write(text)
    #expect(code { _ = try OpenStore(path) } == .invalidFile)
    #expect(directory.text() == text)
    #expect(directory.names == ["db.json"])
  }

  @Test(arguments: ["none.json", "none/db.json", "loop.json", "directory.json", "pipe.json"])
  func `What is not a file is not opened`(_ name: String) throws {
    try directory.shell("ln -s loop.json loop.json; mkdir directory.json; mkfifo pipe.json")
    #expect(code { _ = try OpenStore(directory.path(name)) } == .unavailable)
  }

  @Test func `Stale temporary files go to the history, valid or not, unless the file holds the same`() throws {
    try directory.write("[0", to: ".db.json.0123456789abcdef.tmp")
    try directory.write("[0]", to: ".db.json.1123456789abcdef.tmp")
    try directory.write("", to: ".db.json.3123456789abcdef.tmp")
    try directory.write("[5]", to: ".db.json.2123456789abcdef.tmp")
    try directory.write("mine", to: ".db.json.notes.tmp")
    try directory.write("mine", to: ".db.0123456789abcdef.tmp")
    try OpenStore(path).close()
    #expect(directory.names == [".db.0123456789abcdef.tmp", ".db.json.history", ".db.json.notes.tmp", "db.json"])
    let saved = directory.names(in: ".db.json.history")
    #expect(Set(saved.map { directory.text(".db.json.history/\($0)") }) == ["[0", "[5]"])
  }

  @Test(arguments: [("[0", "[0]"), ("[0]", "[0]"), ("[1,2]", "[0]"), ("", "[1,2,3]")])
  func `A recovery file is written back and what the file held goes to the history`(_ torn: String, _ whole: String)
    throws
  {
    try directory.write(torn)
    try directory.write(whole, to: ".db.json.recovery")
    let open = try OpenStore(path, synchronization: .full)
    #expect(open.version.string == whole)
    open.close()
    #expect(directory.text() == whole)
    #expect(!directory.names.contains(".db.json.recovery"))
    let saved = directory.names(in: ".db.json.history").map { directory.text(".db.json.history/\($0)") }
    #expect(saved == (torn == whole ? [] : [torn]))
  }

  @Test func `A lock file that a killed server left does no harm`() throws {
    try directory.write("1\n", to: ".db.json.lock/process")
    try OpenStore(path).close()
    #expect(directory.names == ["db.json"])
  }

  @Test func `A closing store leaves the lock file of a store that took its place`() throws {
    let open = try OpenStore(path)
    // The file has another place now: neither the lock file nor the file's own lock excludes a second store.
    try directory.shell("rm -r .db.json.lock; cp db.json x; mv x db.json")
    let second = try OpenStore(path)
    open.close()
    #expect(code { _ = try OpenStore(path) } == .locked)
    second.close()
    #expect(directory.names == ["db.json"])
  }

  @Test(arguments: ["", "publish", "edit"])
  func `A second store is refused under another name of the file, as of another mount`(_ change: String) throws {
    let open = try OpenStore(path)
    var generation = 0
    if change == "publish" { #expect(try open.publish("[1]").summary == "published") }
    if change == "edit" {
      try directory.save("[7]")
      #expect(try open.publish("[1]").summary == "edited [7] 1")
      generation = 1
    }
    try directory.shell("mkdir mount; ln db.json mount/db.json")
    #expect(code { _ = try OpenStore(directory.path("mount/db.json")) } == .locked)
    #expect(try open.publish("[2]", onto: generation).summary == "published")
    // The link now leads to a version that nobody writes.
    try OpenStore(directory.path("mount/db.json")).close()
    open.close()
    #expect(directory.names(in: "mount") == ["db.json"])
  }

  @Test func `An edit that another server has locked is not taken over`() throws {
    let open = try OpenStore(path)
    try directory.shell("mkdir other; printf '[7]' > other/db.json; ln other/db.json x")
    let other = try OpenStore(directory.path("other/db.json"))
    try directory.shell("mv x db.json")
    #expect(try open.publish("[1]").summary == "failed locked")
    other.close()
    #expect(try open.publish("[1]").summary == "edited [7] 1")
    open.close()
  }

  @Test func `A lock file that cannot be locked is removed, unless a server has written to it`() throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "flock" { throw SystemError(call, ENOLCK) }
    }
    let open = try OpenStore(path, fileSystem: fileSystem)
    #expect(open.warnings == [.notLocked])
    #expect(directory.names == ["db.json"])
    open.close()
    let locked = try OpenStore(path)
    try OpenStore(path, fileSystem: fileSystem).close()
    #expect(code { _ = try OpenStore(path) } == .locked)
    locked.close()
  }

  @Test(.timeLimit(.minutes(1))) func `A lock file that never has its name excludes a store`() throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "stat" { throw SystemError(call, ENOENT) }
    }
    #expect(code { _ = try OpenStore(path, fileSystem: fileSystem) } == .locked)
  }

  @Test func `A lock file of another user locks as well`() throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "open locking" { throw SystemError(call, EACCES) }
    }
    let unlocked = try OpenStore(path, fileSystem: fileSystem)
    #expect(unlocked.warnings == [.notLocked])
    unlocked.close()
    let open = try OpenStore(path)
    #expect(code { _ = try OpenStore(path, fileSystem: fileSystem) } == .locked)
    open.close()
    try directory.write("1\n", to: ".db.json.lock/process")
    let locked = try OpenStore(path, fileSystem: fileSystem)
    #expect(locked.warnings == [])
    #expect(code { _ = try OpenStore(path) } == .locked)
    locked.close()
    #expect(fileSystem.script.openCount == 0)
  }

  @Test func `A lock file that cannot be read excludes a store`() throws {
    let fileSystem = FaultyFileSystem()
    try directory.write("1\n", to: ".db.json.lock/process")
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call.hasPrefix("open locking") || call == "open reading" { throw SystemError(call, EACCES) }
    }
    #expect(code { _ = try OpenStore(path, fileSystem: fileSystem) } == .locked)
    #expect(directory.names == [".db.json.lock", "db.json"])
  }

  @Test(arguments: ["", "sub/", "sub/deep/"])
  func `The lock does not show in git status, neither held nor left behind`(_ place: String) throws {
    try directory.shell("git init -q . && mkdir -p ./\(place) && echo '[0]' > \(place)new.json && git add -A")
    let open = try OpenStore(directory.path("\(place)new.json"))
    #expect(directory.names(in: "\(place).new.json.lock") == [".gitignore", "process"])
    try directory.shell("test -z \"$(git status --porcelain -uall | grep lock)\"")
    // As after kill -9.
    try directory.shell("cp -r \(place).new.json.lock \(place).killed.json.lock")
    try directory.shell("test -z \"$(git status --porcelain -uall | grep lock)\"")
    open.close()
    #expect(!directory.names(in: place.isEmpty ? "." : place).contains(".new.json.lock"))
  }

  @Test func `A file in the lock's place excludes a store`() throws {
    try directory.write("1\n", to: ".db.json.lock")
    #expect(code { _ = try OpenStore(path) } == .locked)
    #expect(directory.names == [".db.json.lock", "db.json"])
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (".db.json.lock", "nothing", true), (".db.json.lock", ".db.json.lock", true), (".db.json.lock", "db.json", true),
      (".db.json.lock", "elsewhere", true),
      (".db.json.lock/process", "nothing", false), (".db.json.lock/.gitignore", "nothing", false),
    ])
  func `A link in the lock's place is refused by its name, or opened without a lock`(
    _ name: String, _ target: String, _ isRefused: Bool
  ) throws {
    if name.contains("/") { try directory.shell("mkdir .db.json.lock") }
    try directory.write("precious", to: "elsewhere/process")
    try directory.link(name, to: target)
    do {
      let open = try OpenStore(path)
      open.close()
      #expect(!isRefused)
    } catch let error as StorageError {
      #expect(isRefused)
      #expect(error.code == .locked)
      #expect(error.message.contains(directory.path(name)), "\(error.message)")
    }
    #expect(directory.text("elsewhere/process") == "precious")
    #expect(directory.names(in: "elsewhere") == ["process"])
  }

  @Test func `Many stores that open and close at once never share the file`() async throws {
    let path = path
    let held = Holders()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            guard let open = try? OpenStore(path) else { continue }
            #expect(held.count.add(1, ordering: .relaxed).newValue == 1)
            held.count.subtract(1, ordering: .relaxed)
            open.close()
          }
        }
      }
    }
    #expect(directory.names == ["db.json"])
  }

  @Test func `A directory is listed once for all files that are opened in it`() throws {
    for number in 0..<5 { try directory.write("[]", to: "\(number).json") }
    let fileSystem = FaultyFileSystem()
    let store = FileStore(fileSystem: fileSystem) { _ in }
    try store.sync { worker throws(StorageError) in
      for number in 0..<5 { _ = try worker.open(directory.path("\(number).json"), parse: OpenStore.parse) }
    }
    #expect(fileSystem.script.calls.count { $0 == "readdir" } == 1)
    store.close()
  }

  @Test func `A closed store refuses`() throws {
    let open = try OpenStore(path)
    open.close()
    open.close()
    #expect(try open.publish("[1]").summary == "failed closed")
  }
}

/// How many stores have the file at once.
private final class Holders: Sendable {
  let count = Atomic(0)
}
