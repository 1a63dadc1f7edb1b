/// Makes text ids for records of collections whose ids are text.
package struct IDGenerator: Sendable {
  private let makeID: @Sendable () -> String

  /// Creates a generator from a closure that returns a new id each time.
  package init(_ makeID: @escaping @Sendable () -> String) {
    self.makeID = makeID
  }

  /// Returns a new id.
  package func callAsFunction() -> String {
    makeID()
  }

  /// Creates a generator of URL-safe ids from a source of random numbers.
  ///
  /// - Parameters:
  ///   - length: The number of characters: 7 as json-server 0.17, 11 as 1.0.
  ///   - random: Returns a random number each time.
  package static func urlSafe(length: Int, random: @escaping @Sendable () -> UInt64) -> IDGenerator {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return IDGenerator {
      String((0..<length).map { _ in alphabet[Int(truncatingIfNeeded: random() & 63)] })
    }
  }
}
