/// An edit that was taken out of the file's place for an instant and put back.
///
/// Whoever read the file in that instant has not seen it, and may save over it.
struct ReturnedEdit {
  let reading: FileReading
  /// How long such a save is reckoned with.
  let due: ContinuousClock.Instant

  init(_ reading: FileReading, until due: ContinuousClock.Instant) {
    self.reading = reading
    self.due = due
  }
}
