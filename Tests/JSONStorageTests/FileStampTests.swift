import Testing

@testable import JSONStorage

struct FileStampTests {
  @Test(arguments: [
    // A file system with a fine clock.
    (500_000_000, 0.0, false), (500_000_000, 0.015, false), (500_000_000, 0.03, true), (500_000_000, -0.1, false),
    // One that keeps whole seconds.
    (0, 0.03, false), (0, 1.9, false), (0, 2.1, true),
  ])
  func `A time is settled when a later change must bear another one`(
    _ nanoseconds: Int64, _ age: Double, _ isSettled: Bool
  ) {
    let time = FileStamp.Time(seconds: 1_000, nanoseconds: nanoseconds)
    let now = nanoseconds + 1_000_000_000_000 + Int64(age * 1_000_000_000)
    #expect(
      time.isSettled(at: FileStamp.Time(seconds: now / 1_000_000_000, nanoseconds: now % 1_000_000_000)) == isSettled)
  }
}
