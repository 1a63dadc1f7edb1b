import OrderedJSON
import Testing

@testable import JSONDatabase

struct IDHashTableTests {
  /// One of each pair, in this order: 4,096 ids that all share the 45 bits of FNV-1a that a table of them is
  /// addressed by.
  private static let pairs = [
    ("whp2ube5cl", "d4goziwrt3"), ("h50tng02qi", "iqicv2b14u"), ("5x155fumaf", "22dn2g12kp"),
    ("xrcp3cxqx0", "eihr4iorhb"), ("hzvgn1ujse", "30c4shgfby"), ("5wdtutgvwj", "j1vyau2kwq"),
    ("qnzvoqpnkp", "i040gdraja"), ("1n5p41hpgd", "jdcllimoc1"), ("wa0hj1cmoj", "3mc1opyirm"),
    ("gzo0ib0fna", "zntlvlcktv"), ("2eefyx22qk", "gdyd0xvpqz"), ("yizudwkqxw", "jkz1x24sxz"),
  ]

  private static var collidingIDs: [String] {
    pairs.reduce([""]) { ids, pair in ids.flatMap { [$0 + pair.0, $0 + pair.1] } }
  }

  @Test func `Ids that were chosen to collide are found as soon as others`() throws {
    let chosen = Self.collidingIDs
    let others = chosen.indices.map { String($0) + String(repeating: "x", count: 116) }
    #expect(Set(chosen).count == 4_096)
    let usual = try Self.timeOfFinding(others)
    #expect(try Self.timeOfFinding(chosen) < 5 * usual + 0.05)
  }

  /// Makes a table of ids and finds each of them; returns the processor's time for that.
  private static func timeOfFinding(_ ids: [String]) throws -> Double {
    let records = JSONValue.array(ids.map { ["id": .string($0)] }).text(pretty: false)
    var database = try Database.fixture("{\"a\":\(records)}")
    return try processorTime {
      for id in ids { _ = try database.record(id, in: "a") }
    }
  }
}
