import OrderedJSON
import Testing

@Suite struct `Values that are deep and large` {
  /// 40 KB inside objects or arrays.
  private static func value(depth: Int, _ open: String, _ close: String, last: String) throws -> ValidJSON {
    let items = String(repeating: "1,", count: 20_000) + last
    let text = String(repeating: open, count: depth) + "[\(items)]" + String(repeating: close, count: depth)
    return try ValidJSON(parsing: Array(text.utf8))
  }

  /// The quickest of three runs.
  private static func time(_ body: () throws -> Void) rethrows -> Duration {
    var quickest = Duration.seconds(1000)
    for _ in 0..<3 { quickest = min(quickest, try ContinuousClock().measure(body)) }
    return quickest
  }

  @Test func `are merged in the time that flat ones take`() throws {
    func time(depth: Int) throws -> Duration {
      let document = try Self.value(depth: depth, #"{"a":"#, "}", last: "1")
      let patch = try Self.value(depth: depth, #"{"a":"#, "}", last: "2")
      return Self.time { _ = patch.merged(into: document) }
    }
    #expect(try time(depth: 400) < time(depth: 1) * 5)
  }

  @Test func `are compared in the time that flat ones take`() throws {
    func time(depth: Int) throws -> Duration {
      let document = try Self.value(depth: depth, "[", "]", last: "1")
      let other = try Self.value(depth: depth, "[", "]", last: "1.0").string
      let operations = try ValidJSON(parsing: Array(#"[{"op":"test","path":"","value":\#(other)}]"#.utf8))
      let patch = Patch.operations(try PatchOperation.all(in: operations))
      return try Self.time { _ = try patch.applied(to: document, maximumDepth: 512) }
    }
    #expect(try time(depth: 400) < time(depth: 1) * 5)
  }
}
