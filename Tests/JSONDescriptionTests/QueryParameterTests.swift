import Foundation
import Testing

@testable import JSONDescription

@Suite struct `Query parameters` {
  private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/JSONServer/Documentation.docc/Querying.md").standardized

  @Test func `The guide lists each as its row describes it`() throws {
    let lines = try String(contentsOf: Self.guide, encoding: .utf8).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "| parameter | what it is |"))
    let listed = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map(String.init)
    #expect(listed == QueryParameter.table.map { "| `\($0.name)` | \($0.description) |" })
  }

  @Test(arguments: QueryParameter.table.map(\.name))
  func `None is a filter`(_ name: String) {
    #expect(QueryParameter.isReserved(name))
    #expect(!QueryParameter.isReserved(name + "_gte"))
  }

  @Test func `Rules are about rows`() {
    let names = QueryParameter.rules.flatMap { [$0.name] + $0.without + $0.beside }
    #expect(QueryParameter.names.isSuperset(of: names))
    #expect(QueryParameter.names.count == QueryParameter.table.count)
  }
}
