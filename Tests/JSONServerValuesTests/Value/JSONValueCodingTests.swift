import Foundation
import JSONServerValues
import Testing

struct JSONValueCodingTests {
  private struct Bookmark: Codable, Equatable {
    var pageTitle: String
    var savedAt: Date
    var labels: [String: Int]
    var note: String?
  }

  private static let bookmark = Bookmark(
    pageTitle: "Swift", savedAt: Date(timeIntervalSince1970: 1_700_000_000), labels: ["z": 1, "a": 2])

  @Test func `A Swift value becomes JSON, with members in the order of their names`() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    let value = try JSONValue.encoding(Self.bookmark, encoder: encoder)
    #expect(
      value.text(pretty: false)
        == #"{"labels":{"a":2,"z":1},"page_title":"Swift","saved_at":"2023-11-14T22:13:20Z"}"#)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    #expect(try value.decode(Bookmark.self, decoder: decoder) == Self.bookmark)
  }

  @Test func `Values that are not objects are encoded and decoded`() throws {
    #expect(try JSONValue.encoding([1, nil, 3]) == [1, nil, 3])
    #expect(try JSONValue.encoding(Int?.none) == .null)
    #expect(try JSONValue(nilLiteral: ()).decode(Int?.self) == nil)
    #expect(try JSONValue("a").decode(String.self) == "a")
    #expect(try JSONValue.encoding(UInt64.max).decode() == UInt64.max)
  }

  @Test func `What cannot be encoded or decoded is refused`() {
    #expect(throws: EncodingError.self) { try JSONValue.encoding(["a": [1, Double.nan]]) }
    #expect(throws: DecodingError.self) { try JSONValue("1").decode(Int.self) }
  }
}
