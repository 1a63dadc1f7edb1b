import Foundation
import JSONDatabase
import JSONServerValues
import Testing

@Suite struct `Values that are deep and large` {
  /// 40 KB inside objects or arrays.
  private static func value(depth: Int, _ open: String, _ close: String, last: String) throws -> ValidJSON {
    let items = String(repeating: "1,", count: 20_000) + last
    let text = String(repeating: open, count: depth) + "[\(items)]" + String(repeating: close, count: depth)
    return try ValidJSON(parsing: Array(text.utf8))
  }

  /// The processor time of the quickest of three runs, which does not depend on other threads.
  private static func time(_ body: () throws -> Void) rethrows -> Int {
    var quickest = Int.max
    for _ in 0..<3 {
      let start = processorTime
      try body()
      quickest = min(quickest, processorTime - start)
    }
    return quickest
  }

  /// The processor time of this thread in nanoseconds.
  private static var processorTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  @Test func `are merged in the time that flat ones take`() throws {
    func time(depth: Int) throws -> Int {
      let document = try Self.value(depth: depth, #"{"a":"#, "}", last: "1")
      let patch = Patch.merge(try Self.value(depth: depth, #"{"a":"#, "}", last: "2"))
      return try Self.time { _ = try patch.applied(to: document, maximumDepth: 512) }
    }
    #expect(try time(depth: 400) < time(depth: 1) * 5)
  }

  @Test func `are compared in the time that flat ones take`() throws {
    func time(depth: Int) throws -> Int {
      let document = try Self.value(depth: depth, "[", "]", last: "1")
      let other = try Self.value(depth: depth, "[", "]", last: "1.0").string
      let operations = try ValidJSON(parsing: Array(#"[{"op":"test","path":"","value":\#(other)}]"#.utf8))
      let patch = Patch.operations(try PatchOperation.all(in: operations))
      return try Self.time { _ = try patch.applied(to: document, maximumDepth: 512) }
    }
    #expect(try time(depth: 400) < time(depth: 1) * 5)
  }

  /// What opens and closes a level.
  static let levels = [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]"), (#"{"b":[],"a":"#, #","c":1}"#)]

  private static func text(_ level: (open: String, close: String), _ last: String) -> String {
    // The deepest that is accepted as a member: where a level has two containers, half as many.
    let depth = level.open.hasPrefix("[{") ? 255 : 510
    return String(repeating: level.open, count: depth) + last + String(repeating: level.close, count: depth)
  }

  @Test(arguments: levels)
  func `need no more of the stack than flat ones`(_ open: String, _ close: String) async throws {
    try await onSmallStack {
      let texts = ["1", "1.0", "2", "{}"].map { Self.text((open, close), $0) }
      let tokens = try texts.map { try ValidJSON(parsing: Array($0.utf8)) }
      let values = tokens.map { JSONValue($0) }
      let equals = try texts.map { text in
        let test = try ValidJSON(
          parsing: Array(#"[{"op":"test","path":"/v","value":\#(text)}]"#.utf8), maximumDepth: 600)
        let document = try ValidJSON(parsing: Array(#"{"v":\#(texts[0])}"#.utf8))
        let patch = Patch.operations(try PatchOperation.all(in: test))
        return (try? patch.applied(to: document, maximumDepth: 512)) != nil
      }
      #expect(equals == [true, true, false, false])
      #expect(values.map { $0 == values[0] } == [true, true, false, false])
      #expect(values[0].hashValue == values[1].hashValue)
      #expect(values[3].merged(into: values[0]) == values[3])
      #expect(try JSONValue(parsing: values[2].text(), maximumDepth: 512) == values[2])
    }
  }

  @Test func `are selected from without the stack`() async throws {
    let arrays = String(repeating: "[", count: 500) + #"{"a":1,"b":2}"# + String(repeating: "]", count: 500)
    let deep = try ValidJSON(parsing: Array(#"{"v":\#(arrays)}"#.utf8))
    try await onSmallStack {
      var selection = MemberSelection()
      selection.insert(["v", "a"].map { Array($0.utf8) })
      selection.insert(Array(repeating: Array("v".utf8), count: 4_000))
      #expect(deep.selecting(selection).string == #"{"v":\#(arrays.replacing(#","b":2"#, with: ""))}"#)
    }
  }

  @Test func `are indented to the level that a value from outside may have`() throws {
    func count(depth: Int) throws -> Int {
      let text = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
      var output: [UInt8] = []
      JSONFormatter(.pretty).append(try ValidJSON(parsing: Array(text.utf8), maximumDepth: depth), to: &output)
      return output.count
    }
    #expect(try count(depth: 1_000) == 2 * (1_000 * 1_000 + 1_000) + 2_001)
    // What a test builds deeper takes space and time as its depth does, and not as the square of it.
    #expect(try count(depth: 4_000) < count(depth: 2_000) * 3)
  }

  /// Runs a body on a thread with as little stack as those of static executables for Linux have.
  private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result(catching: body)) }
      thread.stackSize = 128 << 10
      thread.start()
    }
  }
}
