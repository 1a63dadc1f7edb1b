import JSONServerValues

/// Makes text ids for records of collections whose ids are text.
package struct IDGenerator: Sendable {
  private let makeID: @Sendable () -> String
  /// Makes an id for a collection whose ids are UUIDs, in lower case.
  let uuid: @Sendable () -> String
  /// Whether a new record keeps the id that its body has, as in an import: in every dialect, and also `0`.
  package var keepsGivenIDs = false

  /// Creates a generator from a closure that returns a new id each time.
  package init(_ makeID: @escaping @Sendable () -> String) {
    self.init(makeID, uuid: makeID)
  }

  private init(_ makeID: @escaping @Sendable () -> String, uuid: @escaping @Sendable () -> String) {
    self.makeID = makeID
    self.uuid = uuid
  }

  /// Returns a new id.
  package func callAsFunction() -> String {
    makeID()
  }

  /// Creates a generator of URL-safe ids, and of UUIDs where ids are that, from a source of random numbers.
  ///
  /// - Parameters:
  ///   - length: The number of characters: 7 as json-server 0.17, 11 as 1.0.
  ///   - random: Returns a random number each time.
  package static func urlSafe(length: Int, random: @escaping @Sendable () -> UInt64) -> IDGenerator {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return IDGenerator {
      String((0..<length).map { _ in alphabet[Int(truncatingIfNeeded: random() & 63)] })
    } uuid: {
      UUIDText.random(random)
    }
  }
}
