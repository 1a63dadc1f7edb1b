/// What of a version of the data was not saved when a read of it began.
struct ReadVersion: Sendable {
  /// Whether all of it was.
  let isSaved: Bool
  private let retractions: Int

  init(_ writes: WriteCoordinator) {
    isSaved = writes.isSaved
    retractions = writes.retractions
  }

  /// Whether something of it was taken back since.
  func isRetracted(in writes: WriteCoordinator) -> Bool {
    !isSaved && retractions != writes.retractions
  }
}
