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
    #expect(Milliseconds(duration).text == expected)
  }

  @Test
  func `A time is written as RFC 3339 has it`() {
    #expect(Timestamp(milliseconds: 1_706_745_599_042).rfc3339 == "2024-01-31T23:59:59.042Z")
  }
}
