import JSONServerValues
import Testing

private struct Book: Codable, Equatable {
  var title: String
}

@Test func `JSON is a literal, a text or a Swift value`() throws {
  let value: JSONValue = ["title": "Swift", "tags": ["language"]]
  #expect(value["tags"]?[0]?.string == "language")

  let number = try JSONValue(parsing: #"{"price": 1.50}"#)
  #expect(number.text(pretty: false) == #"{"price":1.50}"#)

  let book = try JSONValueDecoder().decode(Book.self, from: value)
  #expect(try JSONValueEncoder().encode(book) == ["title": "Swift"])
}
