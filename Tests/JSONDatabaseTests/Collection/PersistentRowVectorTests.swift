import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase

struct RowVectorTests {
  private static func row(_ number: Int) -> Row {
    Row(ValidJSON(writing: JSONValue(integerLiteral: number)), lead: 0, trail: 0)
  }

  @Test func `A million rows take no more than 24 MB`() {
    #expect(MemoryLayout<Row?>.stride <= 24)
  }

  private static func contents(_ rows: PersistentRowVector) -> [String?] {
    (0..<rows.slotCount).map { rows[$0]?.record.string }
  }

  @Test(arguments: 0..<8)
  func `Rows behave as an array of optional rows that ends with a row, and copies stay as they were`(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var rows = PersistentRowVector()
    var array: [String?] = []
    var copies: [(PersistentRowVector, [String?])] = []
    // Past 64 × 64 slots a third level begins.
    for number in 0..<(seed == 0 ? 4_200 : 300) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0 where !array.isEmpty:
        rows[array.count - 1] = nil
        array[array.count - 1] = nil
      case 1 where !array.isEmpty:
        let slot = Int.random(in: array.indices, using: &random)
        rows[slot] = nil
        array[slot] = nil
      case 2 where !array.isEmpty:
        let slot = Int.random(in: array.indices, using: &random)
        rows[slot] = Self.row(number)
        array[slot] = String(number)
      case 3:
        // As when removals are taken back, the one before last first.
        rows[array.count + 2] = Self.row(number)
        array += [nil, nil, String(number)]
      default:
        #expect(rows.append(Self.row(number)) == array.count)
        array.append(String(number))
      }
      while let last = array.last, last == nil { array.removeLast() }
      if number.isMultiple(of: 97) { copies.append((rows, array)) }
    }
    copies.append((rows, array))
    for (rows, array) in copies {
      let present = array.compactMap { $0 }
      #expect(Self.contents(rows) == array)
      #expect(rows.count == present.count)
      #expect(rows.byteCount == present.reduce(0) { $0 + $1.utf8.count })
      #expect(rows.first?.record.string == present.first)
      #expect(rows.last?.record.string == present.last)
      var visited: [Int: String] = [:]
      rows.forEach { slot, row in visited[slot] = row.record.string }
      #expect(visited.count == present.count)
      for (slot, text) in visited { #expect(array[slot] == text) }
    }
  }

  @Test func `Records that come and go take no slots`() throws {
    var database = try Database.fixture("{\"a\": [{\"id\": 1}, {\"id\": 2}]}")
    for _ in 0..<200 {
      let first = try database.create("{}", in: "a").id
      let second = try database.create("{}", in: "a").id
      _ = try database.delete(first, in: "a")
      _ = try database.delete(second, in: "a")
    }
    guard case .collection(let collection)? = database.resource(named: "a") else {
      Issue.record("The collection is gone.")
      return
    }
    #expect(collection.rows.slotCount == 2)
    #expect(database.string == "{\"a\": [{\"id\": 1}, {\"id\": 2}]}")
  }
}
