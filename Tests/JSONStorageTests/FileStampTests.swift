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

  @Test(arguments: [
    (Int64.min, true), (-13_000_000_000, true), (13_569_465_600, false), (Int64.max, false),
  ])
  func `A time of another age is compared as well`(_ seconds: Int64, _ isSettled: Bool) {
    let time = FileStamp.Time(seconds: seconds, nanoseconds: 0)
    #expect(time.isSettled(at: FileStamp.Time(seconds: 1_800_000_000, nanoseconds: 1)) == isSettled)
  }
}
