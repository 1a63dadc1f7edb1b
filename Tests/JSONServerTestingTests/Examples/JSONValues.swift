import JSONServerTesting

private struct Book: Codable, Equatable {
  var title: String
}

@Test func `JSON is a literal, a text or a Swift value`() throws {
  let value: JSONValue = ["title": "Swift", "tags": ["language"], "pages": 300]
  #expect(value["tags"]?[0]?.string == "language")
  #expect(value["pages"]?.int == 300)

  let number = try JSONValue(parsing: #"{"price": 1.50}"#)
  #expect(number.text(pretty: false) == #"{"price":1.50}"#)
  #expect(number["price"]?.double == 1.5)

  let book = try value.decode(Book.self)
  #expect(try JSONValue.encoding(book) == ["title": "Swift"])
}
