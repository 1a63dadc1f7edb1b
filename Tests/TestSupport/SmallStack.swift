import Foundation

/// Runs a body on a thread with as little stack as those of static executables for Linux have, a quarter of what a Mac
/// gives to all threads but the main one.
package func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Swift.Result(catching: body)) }
    thread.stackSize = 128 << 10
    thread.start()
  }
}
