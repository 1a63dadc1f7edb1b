import Foundation
import JSONServerValues
import TestSupport
import Testing

@testable import JSONStorage

/// Something that happens to a file while a store has it, and the texts that no failing call may lose.
struct SafetyCase: Sendable, CustomTestStringConvertible {
  /// What a store is asked to do; returns what it reports as saved.
  typealias Action = @Sendable (OpenStore, TemporaryDirectory) throws -> [String]

  let testDescription: String
  var files = ["db.json": "[0]"]
  /// Whether the calls that open the file are among those that fail.
  var isOpening = false
  /// Of each group, one text must be in some file.
  let kept: [[String]]
  /// How many exchanges there are until they are in a file.
  var exchanges = 0
  /// Whether a loss is allowed that is announced.
  var mayBeLost = false
  /// Called before each call, with how many of the same there were before.
  var interfere: @Sendable (_ call: String, _ before: Int, TemporaryDirectory) throws -> Int32? = { _, _, _ in nil }
  var action: Action = { open, _ in try open.saved("[1]") }

  static let all = [
    SafetyCase(testDescription: "replaced before the exchange", kept: [["[7]"]], exchanges: 1) {
      call, before, directory in
      if call == "exchange", before == 0 { try directory.save("[7]") }
      return nil
    },
    SafetyCase(testDescription: "written before the exchange", kept: [["[7]"]], exchanges: 1) {
      call, before, directory in
      if call == "exchange", before == 0 { try directory.write("[7]") }
      return nil
    },
    SafetyCase(testDescription: "replaced before both exchanges", kept: [["[8]"]], exchanges: 2) {
      call, before, directory in
      if call == "exchange", before < 2 { try directory.save(before == 0 ? "[7]" : "[8]") }
      return nil
    },
    SafetyCase(testDescription: "removed before it is put back", kept: [["[7]"]], exchanges: 1) {
      call, before, directory in
      if call == "exchange", before == 0 { try directory.save("[7]") }
      if call == "exchange", before > 0, directory.text() != "[7]" {
        try? FileManager.default.removeItem(atPath: directory.path("db.json"))
      }
      return nil
    },
    SafetyCase(testDescription: "made longer in place", kept: [["[0]", "[0,1,2,3]"]]) { call, _, _ in
      call == "exchange" ? EBUSY : nil
    } action: { open, _ in
      try open.saved("[0,1,2,3]")
    },
    SafetyCase(testDescription: "made shorter in place", kept: [["[0]", "1"]]) { call, _, _ in
      call == "exchange" ? EBUSY : nil
    } action: { open, _ in
      try open.saved("1")
    },
    SafetyCase(testDescription: "edited before it is written in place", kept: [["[7]"]], exchanges: 1) {
      call, before, directory in
      guard call == "exchange" else { return nil }
      if before == 0 { try directory.write("[7]") }
      return EBUSY
    },
    SafetyCase(
      testDescription: "torn", files: ["db.json": "[0", ".db.json.recovery": "[0,1]"], isOpening: true,
      kept: [["[0"], ["[0,1]"]],
      action: { _, _ in [] }),
    SafetyCase(
      testDescription: "beside edits that a killed server had exchanged out",
      files: ["db.json": "[0]", ".db.json.0123456789abcdef.tmp": "[5", ".db.json.1123456789abcdef.tmp": "[6]"],
      isOpening: true, kept: [["[5"], ["[6]"]],
      action: { _, _ in [] }),
    SafetyCase(
      testDescription: "saved in the history", kept: [["[0]"]],
      action: { open, _ in
        let saved = Inbox<Result<String, StorageError>>()
        open.saveHistory(UTF8Slice("[3]"), completion: saved.send)
        if case .success = try saved.next() { return ["[3]"] }
        return []
      }),
    SafetyCase(
      testDescription: "saved late", kept: [["[9]"]], mayBeLost: true,
      action: { open, directory in
        let editor = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path("db.json")))
        _ = try open.publish("[1]")
        try editor.write(contentsOf: Data("[9]".utf8))
        try editor.close()
        return []
      }),
  ]
}

extension OpenStore {
  /// Publishes a version; returns it when the store says that it is published.
  fileprivate func saved(_ text: String) throws -> [String] {
    if case .done = try publish(text) { [text] } else { [] }
  }
}

extension SafetyCase {
  /// The outcome of a case.
  struct Run {
    let calls: [String]
    let openCount: Int
    let kept: [[String]]
    let textsAtEnd: [String]
    let textsAfterRestart: [String]

    /// The groups of which no text is in any file.
    func missing(in texts: [String]) -> [[String]] {
      kept.filter { $0.allSatisfy { !texts.contains($0) } }
    }
  }

  /// Plays the case in a directory of its own, then opens the file again without faults.
  func run(_ fault: @escaping FaultyFileSystem.Script.Hook) throws -> Run {
    let directory = try TemporaryDirectory()
    for (name, text) in files { try directory.write(text, to: name) }
    let fileSystem = FaultyFileSystem()
    fileSystem.isSynchronizing = false
    // The hook holds its script, and so the two and the directory would hold each other.
    defer { fileSystem.script.restart() }
    let hook: FaultyFileSystem.Script.Hook = {
      [interfere, script = fileSystem.script] (index, call) throws(SystemError) in
      let before = script.calls[..<index].count(where: { $0 == call })
      do {
        if let number = try interfere(call, before, directory) { throw SystemError(call, number) }
      } catch let error as SystemError {
        throw error
      } catch {
        Issue.record(error)
      }
      try fault(index, call)
    }
    var (kept, isLost) = (kept, false)
    if isOpening { fileSystem.script.restart(hook) }
    if let open = try? OpenStore(
      directory.path("db.json"), synchronization: .full, timing: .hasty, fileSystem: fileSystem)
    {
      if !isOpening { fileSystem.script.restart(hook) }
      kept += try action(open, directory).map { [$0] }
      open.close()
      while !open.edits.isEmpty {
        if case .conflictLost = try open.edits.next() { isLost = mayBeLost }
      }
    }
    let (calls, texts) = (fileSystem.script.calls, directory.texts)
    if isLost || calls.count(where: { $0 == "exchange" }) < exchanges { kept.removeFirst(self.kept.count) }
    try? OpenStore(directory.path("db.json")).close()
    return Run(
      calls: calls, openCount: fileSystem.script.openCount, kept: kept, textsAtEnd: texts,
      textsAfterRestart: directory.texts)
  }
}

extension FileStoreOptions.Timing {
  /// Hardly waits, but reviews replaced versions only at the end.
  fileprivate static var hasty: Self {
    var timing = short
    timing.debounce = .milliseconds(1)
    timing.publishTimeout = .milliseconds(3)
    timing.replacedHold = .seconds(60)
    return timing
  }
}
