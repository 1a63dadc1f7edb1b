import Testing

@testable import JSONDescription

@Suite struct StringFormatTests {
  @Test(arguments: [
    ("2024-02-29T12:30:00Z", StringFormat.dateTime),
    ("2024-01-31T00:00:00.123456+02:00", .dateTime),
    ("2000-02-29", .date),
    ("Eliseo@gardner.biz", .email),
    ("first.last+tag@sub.example.org", .email),
    ("https://via.placeholder.com/600/92c952", .uri),
    ("http://localhost:3000/?q=a%20b", .uri),
    ("123E4567-e89b-12d3-a456-426614174000", .uuid),
    ("127.0.0.1", .ipv4),
  ])
  func `A string is recognized by its format`(_ string: String, _ format: StringFormat) {
    #expect(StringFormat(of: [string]) == format)
  }

  @Test(arguments: [
    "", "2023-02-29", "1900-02-29", "2024-13-01", "2024-1-1", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z",
    "2024-01-01T24:00:00Z", "2024-01-01T23:59:60Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+0200",
    "hildegard.org",
    "a@b", "@b.org", "a@b..org", "a b@c.org", "mailto:a@b.org", "https://", "https://a b", "https://a/%zz", "://a",
    "123E4567e89b12d3a456426614174000", "123E4567-e89b-12d3-a456-42661417400g", "256.0.0.1", "1.2.3", "01.2.3.4",
    "1.2.3.4.5",
  ])
  func `A string that only resembles a format is plain`(_ string: String) {
    #expect(StringFormat(of: [string]) == nil)
  }

  @Test func `A format is that of all strings or none`() {
    #expect(StringFormat(of: ["2024-01-01", "2024-01-02"]) == .date)
    #expect(StringFormat(of: ["2024-01-01", "soon"]) == nil)
    #expect(StringFormat(of: []) == nil)
  }
}
