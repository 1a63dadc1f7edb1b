import NIOHTTP1
import Testing

@testable import JSONServer

/// Fields that are understood once for all requests of a connection that have the same.
struct FieldSectionTests {
  private static let headers: HTTPHeaders = ["Host": "localhost:3000", "Accept": "*/*", "X-Name": "K"]

  @Test func `The same headers make the same section`() throws {
    let section = try FieldSection(Self.headers, limits: Limits())
    #expect(section.isMade(of: ["Host": "localhost:3000", "Accept": "*/*", "X-Name": "K"]))
  }

  @Test(
    arguments: [
      [:],
      ["Host": "localhost:3000", "Accept": "*/*"],
      ["Host": "localhost:3000", "Accept": "*/*", "X-Name": "K", "X-More": ""],
      ["Accept": "*/*", "Host": "localhost:3000", "X-Name": "K"],
      ["host": "localhost:3000", "Accept": "*/*", "X-Name": "K"],
      ["Host": "localhost:3001", "Accept": "*/*", "X-Name": "K"],
      ["Host": "localhost:3000", "Accept": "*/*", "X-Name": "K "],
      // The sign of the unit kelvin, which Swift's strings take for the letter.
      ["Host": "localhost:3000", "Accept": "*/*", "X-Name": "\u{212A}"],
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
