import Foundation
import Testing

// A thousand servers that begin at once would leave no test a turn within its deadline.
@Suite(.serialized) struct RecordedExchangesTests {
  @Test(arguments: try allCases())
  func `Every recorded request gets the response that was recorded, from a file`(_ test: RecordedCase) async throws {
    try await Player.play(test.test, of: test.suite, in: .file)
  }

  @Test(arguments: try allCases())
  func `Every recorded request gets the response that was recorded, from memory`(_ test: RecordedCase) async throws {
    try await Player.play(test.test, of: test.suite, in: .memory)
  }

  @Test(
    .enabled(if: database != nil, "JSON_SERVER_TESTS_DATABASE is not set"), arguments: try allCases())
  func `Every recorded request gets the response that was recorded, from PostgreSQL`(
    _ test: RecordedCase
  ) async throws {
    let store = Store.postgreSQL(try #require(Self.database))
    guard Self.documentedDifferences.contains(test.testDescription) else {
      return try await Player.play(test.test, of: test.suite, in: store)
    }
    await withKnownIssue { try await Player.play(test.test, of: test.suite, in: store) }
  }

  /// The cases that the guides say are otherwise with a database. Servers that share tokens tell a user from another one of the
  /// same id by the email address: a user who changes the address has to sign in again. `$schema` names a file beside the
  /// data's, which a database has not.
  private static let documentedDifferences: Set = [
    "sign-in: an existing user is updated through the same checks", "check-schema-named: it is found beside the data",
  ]

  /// The address of a database for builds with the trait PostgreSQL, such as `postgres://app@127.0.0.1:5432/postgres`.
  private static let database = ProcessInfo.processInfo.environment["JSON_SERVER_TESTS_DATABASE"]

  private static func allCases() throws -> [RecordedCase] {
    try Suite.all.get().flatMap { suite in
      suite.cases.map { RecordedCase(suite: suite, test: $0) }
    }
  }

  struct RecordedCase: Sendable, CustomTestStringConvertible {
    let suite: Suite
    let test: Suite.Case

    var testDescription: String { "\(suite.name): \(test.name)" }
  }
}
