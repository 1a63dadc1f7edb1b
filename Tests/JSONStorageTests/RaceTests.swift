import OrderedJSON
import Synchronization
import Testing

@testable import JSONStorage

/// Editors and a publisher at the same time (G5).
struct RaceTests {
  /// An editor that saves as fast as it can.
  private static let editors = [
    // Renames over the file.
    "i=0; while [ $i -lt 150 ]; do i=$((i+1)); printf '[\"e%d\"]' $i > x; mv x db.json; done",
    // Renames over the file, with a pause between saves in which several versions are published.
    "i=0; while [ $i -lt 60 ]; do i=$((i+1)); printf '[\"e%d\"]' $i > x; mv x db.json; sleep 0.003; done",
  ]

  /// Every save of the editor must come out somewhere: returned to the publisher, saved over by the editor itself, or
  /// left in the file. What must never happen is that a version of ours stands where a save stood unseen.
  @Test(arguments: editors)
  func `No save is replaced unseen and no published version is lost`(_ editor: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("[]")
    let open = try OpenStore(directory.path("db.json"))
    let isRunning = Mutex(true)
    let done = Inbox<Bool>()
    try DetachedThread.start { [directory] in
      done.send((try? directory.shell(editor)) != nil)
    }
    var base = open.version.text.string
    var generation = 0
    var number = 0
    while isRunning.withLock({ $0 }) {
      number += 1
      // Each version names the save it was built on.
      let version = "{\"on\":\(base),\"n\":\(number)}"
      switch try open.publish(version, onto: generation) {
      case .published: break
      case .edited(let edit):
        generation = edit.generation
        base = edit.text.string
        #expect(base.hasPrefix("[\"e"), "One of our own versions came back as an edit: \(base)")
      case .failed(let error): Issue.record(error)
      }
      if !done.isEmpty { isRunning.withLock { $0 = false } }
    }
    #expect(try done.next())
    let final = try open.publish("{\"end\":0}", onto: generation)
    if case .edited(let edit) = final { base = edit.text.string }
    open.store.close()
    // The last save has nothing after it that could have replaced it but us.
    #expect(base == (editor.contains("150") ? "[\"e150\"]" : "[\"e60\"]"))
    // An edit that was out of place for an instant may be kept beside the file.
    #expect(directory.names.allSatisfy { $0 == "db.json" || $0.hasPrefix(".db.json.conflict-") })
  }

  @Test func `Many versions queued at once are all answered in order, and the last one stays`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let open = try OpenStore(directory.path("db.json"))
    let answers = Inbox<String>()
    for number in 1...500 {
      open.store.publish(Text("[\(number)]"), onto: 0) { answers.send("\(number) \($0.summary)") }
    }
    for number in 1...500 { #expect(try answers.next() == "\(number) published") }
    open.store.close()
    #expect(directory.text() == "[500]")
  }

  @Test func `A hundred thousand slices of all sizes are written in order`() throws {
    struct Slices: FileContent {
      let slices: [Text]

      func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
        for slice in slices { try body(slice.bytes) }
      }
    }
    let directory = try TemporaryDirectory()
    try directory.write("[0]")
    let opening = try FileStore<Slices>.open(
      directory.path("db.json"), options: FileStoreOptions(synchronization: .fast, watching: .off),
      fileSystem: SystemFileSystem(), parse: { Slices(slices: [$0]) }, onEdit: { _ in })
    let large = String(repeating: "x", count: 300_000)
    let slices = (0..<100_000).map { Text($0 % 40_000 == 7 ? large : "\($0),") }
    let answers = Inbox<Publication<Slices>>()
    opening.store.publish(Slices(slices: slices), onto: 0, completion: answers.send)
    guard case .published = try answers.next() else {
      Issue.record("The version was not published.")
      return
    }
    opening.store.close()
    #expect(directory.text() == slices.map(\.string).joined())
  }
}
