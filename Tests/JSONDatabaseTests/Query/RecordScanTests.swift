import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

/// Searches through the bytes of many records.
@Suite(.calculates) struct RecordScanTests {
  /// The records lie in one text of several stretches, which a match or an escape may cross.
  @Test(arguments: 0..<4, ["quiz", "façade", "вода", "z"])
  func `They find what a search of each record finds`(_ seed: Int, _ needle: String) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let forms = [needle, needle.uppercased(), Self.escaped(needle), String(needle.dropLast()), "ᲂ\\n", "\\u0071"]
    let records = (1...600).map { id in
      let filler = String(repeating: "x", count: Int.random(in: 0...300, using: &random))
      let isHit = Int.random(in: 0..<20, using: &random) == 0
      return #"{"id": \#(id), "text": "\#(filler)\#(isHit ? forms.randomElement(using: &random) ?? "" : "")"}"#
    }
    let database = try Database.fixture(#"{"a": [\#(records.joined(separator: ",\n"))]}"#)
    var query = Query()
    query.criteria.search = needle
    let found = try database.list("a", query).related.records
    let scan = RecordScan(for: needle)
    let expected = try records.map { try ValidJSON(parsing: Array($0.utf8)) }
      .filter { $0.withToken { scan.anyValueMatches(in: $0) } }.map(\.string)
    #expect((0..<found.placeCount).compactMap { found[$0]?.record.string } == expected)
    #expect(!expected.isEmpty)
  }

  private static func escaped(_ text: String) -> String {
    text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
