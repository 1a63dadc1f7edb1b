import Foundation

/// How much a test that repeats its work does.
package enum TestEffort {
  /// Whether `JSON_SERVER_TESTS_IN_FULL` is set, as it is every night.
  package static let isFull = ProcessInfo.processInfo.environment["JSON_SERVER_TESTS_IN_FULL"] != nil
}
