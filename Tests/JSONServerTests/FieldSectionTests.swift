import NIOHTTP1
import Testing

@testable import JSONServer

/// Fields that are understood once for all requests of a connection that have the same.
struct FieldSectionTests {
  private static let headers: HTTPHeaders = ["Host": "localhost:3000", "Accept": "*/*", "K": "K"]

  @Test func `The same headers make the same section`() throws {
    let section = try FieldSection(Self.headers, limits: Limits())
    #expect(section.isMade(of: ["Host": "localhost:3000", "Accept": "*/*", "K": "K"]))
  }

  @Test(
    arguments: [
      [:],
      ["Host": "localhost:3000", "Accept": "*/*"],
      ["Host": "localhost:3000", "Accept": "*/*", "K": "K", "X-More": ""],
      ["Accept": "*/*", "Host": "localhost:3000", "K": "K"],
      ["host": "localhost:3000", "Accept": "*/*", "K": "K"],
      ["Host": "localhost:3001", "Accept": "*/*", "K": "K"],
      ["Host": "localhost:3000", "Accept": "*/*", "K": "K "],
      // The sign of the unit kelvin, which Swift's strings take for the letter.
      ["Host": "localhost:3000", "Accept": "*/*", "K": "\u{212A}"],
      ["Host": "localhost:3000", "Accept": "*/*", "\u{212A}": "K"],
    ] as [HTTPHeaders])
  func `Other headers make another section`(_ headers: HTTPHeaders) throws {
    let section = try FieldSection(Self.headers, limits: Limits())
    #expect(!section.isMade(of: headers))
  }

  @Test func `Characters that can be written in several ways are always read anew`() throws {
    let headers: HTTPHeaders = ["Host": "localhost", "X-Name": "é"]
    #expect(try !FieldSection(headers, limits: Limits()).isMade(of: headers))
  }
}
