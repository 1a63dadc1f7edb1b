import Testing

@testable import swift_json_server

struct TextTests {
  @Test(arguments: [
    ("0", 0), ("1048576", 1_048_576), ("500k", 512_000), ("10M", 10_485_760), ("1GB", 1_073_741_824),
    ("", nil), ("M", nil), ("-1", nil), ("1.5M", nil), ("9223372036854775807k", nil), ("ten", nil),
  ])
  func `A number of bytes may have a unit`(_ text: String, _ expected: Int?) {
    #expect(ByteCount(argument: text)?.bytes == expected)
  }

  @Test(arguments: [
    (Duration.zero, "0.00"), (.microseconds(4), "0.00"), (.microseconds(50), "0.05"), (.milliseconds(1234), "1234.00"),
  ])
  func `A duration is shown in milliseconds with two decimals`(_ duration: Duration, _ expected: String) {
    #expect(duration.millisecondText == expected)
  }

  @Test(arguments: [
    (Int64(0), Int64(301_400_000), "  Reading big.json, 301 MB, 1.4 s …"),
    (121_000_000, 301_400_000, "  Reading big.json, 40 % of 301 MB, 1.4 s …"),
    (301_400_001, 301_400_000, "  Reading big.json, 100 % of 301 MB, 1.4 s …"),
    (121_000_000, 0, "  Reading big.json, 1.4 s …"),
  ])
  func `A source that takes a while is named with its size and how far it is`(
    _ read: Int64, _ size: Int64, _ expected: String
  ) {
    #expect(ReadingNotice.text("big.json", read, of: size, .milliseconds(1_449)) == expected)
  }

  @Test(arguments: [("posts", "/posts"), ("naïve café", "/naïve%20café"), ("100%", "/100%25"), ("a?b#c", "/a%3Fb%23c")])
  func `The address of a resource can be clicked and copied`(_ name: String, _ path: String) {
    #expect(Banner.path(to: name) == path)
  }
}
