import Foundation
import Testing

@Suite struct RecordedExchangesTests {
  @Test(arguments: try allCases())
  func `Every recorded request gets the response that was recorded, from a file`(_ test: RecordedCase) async throws {
    try await Player.play(test.test, of: test.suite, in: .file)
  }

  @Test(arguments: try allCases())
  func `Every recorded request gets the response that was recorded, from memory`(_ test: RecordedCase) async throws {
    try await Player.play(test.test, of: test.suite, in: .memory)
  }

  // A database has a limit of connections.
  @Test(
    .serialized, .enabled(if: database != nil, "JSON_SERVER_TESTS_DATABASE is not set"), arguments: try allCases())
  func `Every recorded request gets the response that was recorded, from PostgreSQL`(
    _ test: RecordedCase
  ) async throws {
    try await Player.play(test.test, of: test.suite, in: .postgreSQL(try #require(Self.database)))
  }

  /// The address of a database for builds with the trait PostgreSQL, such as `postgres://app@127.0.0.1:5432/postgres`.
  private static let database = ProcessInfo.processInfo.environment["JSON_SERVER_TESTS_DATABASE"]

  private static func allCases() throws -> [RecordedCase] {
    try Suite.folders.flatMap { try Suite.all(in: $0) }.flatMap { suite in
      suite.cases.map { RecordedCase(suite: suite, test: $0) }
    }
  }

  struct RecordedCase: Sendable, CustomTestStringConvertible {
    let suite: Suite
    let test: Suite.Case

    var testDescription: String { "\(suite.name): \(test.name)" }
  }
}
