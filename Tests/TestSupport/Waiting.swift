/// Waits until a condition holds.
///
/// - Parameter condition: Looked at every millisecond: a test that looks without a pause takes the processor from what it waits for.
/// - Throws: What the condition throws, and `CancellationError` when the test ends before, as at its time limit.
package func wait(until condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
