import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Edits from outside (R1, R2, R5, R6).
struct WatchingTests {
  /// A way to save a file, in which TEXT is replaced by what is saved.
  static let edits = [
    "printf 'TEXT' > db.json",
    "printf 'TEXT' > x; mv x db.json",
    "rm db.json; printf 'TEXT' > db.json",
    "sed -i.bak 's/.*/TEXT/' db.json; rm db.json.bak",
    "cp db.json db.json~; printf 'TEXT' > db.json; rm db.json~",
    "mv db.json db.json~; printf 'TEXT' > db.json; rm db.json~",
    "printf 'TEXT' > x; cp x db.json",
    "printf 'TEX' > db.json; printf 'T' >> db.json",
    "printf '[9]' > db.json; printf 'TEXT' > db.json",
    "touch -r db.json x; printf 'TEXT' > db.json; touch -r x db.json",
    "cp -p db.json x; printf 'TEXT' > x; touch -r db.json x; mv x db.json",
    "mv \"$PWD\" \"$PWD~\"; mv \"$PWD~\" \"$PWD\"; printf 'TEXT' > db.json",
    "mv \"$PWD\" \"$PWD~\"; printf 'TEXT' > db.json; mv \"$PWD~\" \"$PWD\"",
  ]

  @Test(arguments: edits) func `A saved file is taken, twice in a row`(_ edit: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"), watching: .on, timing: .patient)
    for number in 1...2 {
      try directory.shell(Self.command(edit, saving: "[\(number)]"))
      // An intermediate state that is valid may be seen or not.
      var summary = ""
      repeat { summary = try open.edits.next().summary } while summary.hasPrefix("changed [9]")
      #expect(summary.hasPrefix("changed [\(number)]"))
    }
    open.close()
    #expect(open.edits.isEmpty)
  }

  private static func command(_ edit: String, saving text: String) -> String {
    edit.replacing("TEXT", with: text).replacing("TEX", with: text.dropLast()).replacing(
      "'T'", with: "'\(text.suffix(1))'")
  }

  @Test(arguments: ["touch db.json", "chmod 600 db.json", "cp -p db.json x; mv x db.json", "touch .db.json.swp other"])
  func `What leaves the bytes as they are is not an edit`(_ command: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"), watching: .on)
    try directory.shell(command)
    try directory.shell("printf '[1]' > db.json")
    #expect(try open.edits.next().summary == "changed [1] 1")
    open.close()
    #expect(open.edits.isEmpty)
  }

  @Test func `A look at an unchanged file is one system call`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let fileSystem = FaultyFileSystem()
    let looks = Inbox<Void>()
    let open = try OpenStore(directory.path("db.json"), watching: .on, fileSystem: fileSystem)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "look" { looks.send(()) }
    }
    // The first ones read the file, until its times are old enough to be trusted.
    for _ in 1...15 { try looks.next() }
    #expect(Set(fileSystem.script.calls.suffix(5)) == ["look"])
    open.close()
  }

  @Test func `A store does not announce what it published`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"), watching: .on)
    for number in 1...20 { #expect(try open.publish("[\(number)]").summary == "published") }
    try directory.write("[99]")
    #expect(try open.edits.next().summary == "changed [99] 1")
    open.close()
    #expect(open.edits.isEmpty)
  }

  @Test func `An invalid file is announced with its place, and so is its mending`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"), watching: .on)
    try directory.write("[0,\n  oh]")
    guard case .invalid(let error) = try open.edits.next() else {
      Issue.record("The invalid file was not announced.")
      return
    }
    #expect((error.cause as? JSONError)?.line == 2)
    #expect(try open.publish("[1]").summary == "failed invalidFile")
    try directory.write("[0]")
    #expect(try open.edits.next().summary == "restored")
    try directory.write("")
    #expect(try open.edits.next().summary == "invalid invalidFile")
    try directory.write("[2]")
    #expect(try open.edits.next().summary == "changed [2] 1")
    open.close()
  }

  @Test func `The end of a fault is announced although another one came before it`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let fileSystem = FaultyFileSystem()
    let looks = Inbox<Void>()
    var timing = FileStoreOptions.Timing.short
    timing.grace = .milliseconds(300)
    let open = try OpenStore(directory.path("db.json"), watching: .on, timing: timing, fileSystem: fileSystem)
    try directory.write("[")
    #expect(try open.edits.next().summary == "invalid invalidFile")
    try directory.write("")
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "stat" { looks.send(()) }
    }
    for _ in 1...2 { try looks.next() }
    try directory.write("[0]")
    // On a slow machine the second fault lasts long enough to be announced.
    var summary = ""
    repeat { summary = try open.edits.next().summary } while summary == "invalid invalidFile"
    #expect(summary == "restored")
    open.close()
  }

  @Test(arguments: ["printf '[1' > db.json", "printf '' > db.json", "rm db.json"])
  func `The first part of a save is noticed but not announced`(_ firstPart: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let fileSystem = FaultyFileSystem()
    let looks = Inbox<Void>()
    let open = try OpenStore(
      directory.path("db.json"), watching: .on, timing: .patient, fileSystem: fileSystem)
    try directory.shell(firstPart)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "stat" { looks.send(()) }
    }
    for _ in 1...4 { try looks.next() }
    try directory.write("[1]")
    #expect(try open.edits.next().summary == "changed [1] 1")
    open.close()
  }

  @Test func `A publish waits for an invalid file to become valid`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    var timing = FileStoreOptions.Timing.short
    timing.publishTimeout = .seconds(20)
    let open = try OpenStore(directory.path("db.json"), watching: .on, timing: timing)
    try directory.write("[")
    #expect(try open.edits.next().summary == "invalid invalidFile")
    let answers = Inbox<CommitResult>()
    open.publish(UTF8Slice("[1]"), onto: 0, completion: answers.send)
    try directory.write("[5]")
    #expect(try answers.next().summary == "edited [5] 1")
    #expect(directory.text() == "[5]")
    open.close()
  }

  @Test func `A deleted file is announced and the next version recreates it`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    try directory.shell("chmod 640 db.json")
    let open = try OpenStore(directory.path("db.json"), watching: .on)
    try directory.shell("mv db.json away")
    #expect(try open.edits.next().summary == "deleted")
    try directory.shell("mv away db.json")
    #expect(try open.edits.next().summary == "restored")
    try directory.shell("rm db.json")
    #expect(try open.edits.next().summary == "deleted")
    #expect(try open.publish("[1]").summary == "published")
    #expect(try open.edits.next().summary == "restored")
    open.close()
    #expect(open.edits.isEmpty)
    #expect(directory.text() == "[1]")
    try directory.shell("test \"$(ls -l db.json | cut -c1-10)\" = -rw-r-----")
  }

  @Test func `A directory that is moved away and back is followed`() throws {
    let directory = try TemporaryDirectory()
    try directory.shell("mkdir data; printf '[0]' > data/db.json")
    let open = try OpenStore(directory.path("data/db.json"), watching: .on)
    try directory.shell("mv data away")
    #expect(try open.edits.next().summary == "deleted")
    #expect(try open.publish("[1]").summary == "failed unavailable")
    try directory.shell("mv away data")
    #expect(try open.edits.next().summary == "restored")
    try directory.shell("cp -r data copy; printf '[2]' > copy/db.json; mv data old; mv copy data")
    // The store may look between the two renames.
    var edit = try open.edits.next().summary
    while edit == "deleted" { edit = try open.edits.next().summary }
    #expect(edit == "changed [2] 1")
    #expect(try open.publish("[3]", onto: 1).summary == "published")
    open.close()
    #expect(directory.text("data/db.json") == "[3]")
    #expect(directory.text("old/db.json") == "[0]")
  }

  @Test func `A directory that gets another path keeps the lock and its replaced versions`() throws {
    let directory = try TemporaryDirectory()
    try directory.shell("mkdir data; printf '[0]' > data/db.json")
    var timing = FileStoreOptions.Timing.short
    timing.replacedHold = .seconds(60)
    let open = try OpenStore(directory.path("data/db.json"), timing: timing)
    let editor = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("data/db.json")))
    #expect(try open.publish("[1]").summary == "published")
    try directory.shell("mv data moved; ln -s moved data")
    #expect(try open.publish("[2]").summary == "published")
    #expect(directory.text("moved/db.json") == "[2]")
    #expect(throws: StorageError.self) { try OpenStore(directory.path("moved/db.json")) }
    try editor.write(contentsOf: Data("[7]".utf8))
    try editor.close()
    open.close()
    #expect(try open.edits.next(within: 0).summary == "conflict [7]")
    #expect(open.edits.isEmpty)
    #expect(directory.names(in: "moved").count == 2)
  }

  @Test func `A link that now points to where nothing can be locked is followed with a warning`() throws {
    let directory = try TemporaryDirectory()
    try directory.shell("mkdir a b; printf '[0]' > a/db.json; printf '[1]' > b/db.json; ln -s a/db.json db.json")
    let fileSystem = FaultyFileSystem()
    let open = try OpenStore(directory.path("db.json"), watching: .on, fileSystem: fileSystem)
    fileSystem.script.restart { (_, call) throws(SystemError) in
      if call == "flock" { throw SystemError(call, ENOLCK) }
    }
    try directory.shell("ln -s b/db.json x; mv x db.json")
    #expect(try open.edits.next().summary == "warned notLocked")
    #expect(try open.edits.next().summary == "changed [1] 1")
    open.close()
  }

  @Test func `A symbolic link that points elsewhere is followed, lock and all`() throws {
    let directory = try TemporaryDirectory()
    try directory.shell("mkdir a b; printf '[0]' > a/db.json; printf '[1]' > b/db.json; ln -s a/db.json db.json")
    let open = try OpenStore(directory.path("db.json"), watching: .on)
    try directory.shell("ln -s b/db.json x; mv x db.json")
    #expect(try open.edits.next().summary == "changed [1] 1")
    #expect(directory.names(in: "a") == ["db.json"])
    #expect(directory.names(in: "b") == [".db.json.lock", "db.json"])
    try directory.shell("printf '[2]' > b/db.json")
    #expect(try open.edits.next().summary == "changed [2] 2")
    #expect(try open.publish("[3]", onto: 2).summary == "published")
    open.close()
    #expect(directory.text("a/db.json") == "[0]")
    #expect(directory.text("b/db.json") == "[3]")
  }
}

extension FileStoreOptions.Timing {
  /// Short waits, but a grace in which a shell can go on after half of a save.
  static var patient: Self {
    var timing = short
    timing.grace = .seconds(2)
    return timing
  }
}
