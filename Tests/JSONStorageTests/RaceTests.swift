import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Editors and a publisher at the same time (G5).
struct RaceTests {
  /// Someone who saves again and again, and records before each save what it replaces.
  struct Editor: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let saves: Int
    /// Saves TEXT, and what was there before as BEFORE.
    let save: String

    var script: String {
      let save = save.replacing("BEFORE", with: "before-$i").replacing("TEXT", with: #"printf '["e%d"]' $i"#)
      return "i=0; while [ $i -lt \(saves) ]; do i=$((i+1)); \(save); done"
    }

    static let all = [
      Editor(testDescription: "replacing", saves: 150, save: "TEXT > x; cat db.json > BEFORE; mv x db.json"),
      Editor(
        testDescription: "replacing with pauses", saves: 60,
        save: "TEXT > x; cat db.json > BEFORE; mv x db.json; sleep 0.003"),
      Editor(testDescription: "writing", saves: 150, save: "cat db.json > BEFORE; TEXT > db.json"),
      Editor(
        testDescription: "writing with pauses", saves: 60, save: "cat db.json > BEFORE; TEXT > db.json; sleep 0.003"),
    ]
  }

  /// Every save must be taken, unless the editor itself saves over it.
  @Test(arguments: Editor.all)
  func `No save is replaced unseen and no published version is lost`(_ editor: Editor) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[]")
    var timing = FileStoreOptions.Timing.short
    timing.publishTimeout = .seconds(10)
    timing.replacedHold = .seconds(10)
    let open = try OpenStore(directory.path("db.json"), timing: timing)
    let done = Inbox<Bool>()
    Thread.detachNewThread { [directory] in
      done.send((try? directory.shell(editor.script)) != nil)
    }
    var base = open.version
    var number = 0
    var isLast = false
    while !isLast {
      isLast = !done.isEmpty
      number += 1
      // Each version names the save it was built on.
      switch try open.publish("{\"on\":\(base.string),\"n\":\(number)}", onto: base.generation) {
      case .done: break
      case .moved(to: let edit): base = try #require(edit.file)
      case .uncertain(let error), .failed(let error): Issue.record(error)
      }
    }
    #expect(try done.next())
    open.close()
    var taken: Set<String> = []
    while !open.edits.isEmpty {
      switch try open.edits.next() {
      case .changed(let version): taken.insert(version.file?.string ?? "")
      case .conflict(let path): taken.insert(try String(contentsOfFile: path, encoding: .utf8))
      case .invalid, .deleted, .restored, .warned: break
      case .conflictLost(let error): Issue.record(error)
      }
    }
    #expect(taken.allSatisfy { $0.isEmpty || $0.hasPrefix("[\"e") }, "One of our own versions came back as an edit.")
    for number in 1...editor.saves {
      let save = "[\"e\(number)\"]"
      #expect(taken.contains(save) || directory.text("before-\(number + 1)") == save)
    }
    // Of what the store writes, only saves that were out of place for an instant are left beside the file.
    let names = directory.names.filter { !$0.hasPrefix("before-") }
    #expect(names.allSatisfy { $0 == "db.json" || $0.hasPrefix(".db.json.conflict-") })
  }

  @Test func `Many versions queued at once are all completed in order, and the last one stays`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"))
    let answers = Inbox<String>()
    for number in 1...500 {
      open.publish(UTF8Slice("[\(number)]"), onto: 0) { answers.send("\(number) \($0.summary)") }
    }
    for number in 1...500 { #expect(try answers.next() == "\(number) published") }
    open.close()
    #expect(directory.text() == "[500]")
  }

  @Test func `A hundred thousand slices of all sizes are written in order`() throws {
    struct Slices: FileContent {
      let slices: [UTF8Slice]

      func forEachSlice<Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
      ) throws(Failure) {
        for slice in slices { try body(slice.bytes) }
      }
    }
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"))
    let large = String(repeating: "x", count: 300_000)
    let slices = (0..<100_000).map { UTF8Slice($0 % 40_000 == 7 ? large : "\($0),") }
    let answers = Inbox<CommitResult>()
    open.publish(Slices(slices: slices), onto: 0, completion: answers.send)
    #expect(try answers.next().summary == "published")
    open.close()
    #expect(directory.text() == slices.map(\.string).joined())
  }
}
