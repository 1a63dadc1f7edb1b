import Foundation
import JSONServerValues
import Testing

struct JSONValueCodingTests {
  private struct Bookmark: Codable, Equatable {
    enum Kind: String, Codable { case article, video }
    enum Source: Codable, Equatable {
      case feed(name: String)
      case typed
    }
    struct Place: Codable, Equatable {
      var line: Int
      var ratio: Double?
    }

    var title: String
    var isRead: Bool
    var kind: Kind
    var source: Source
    var places: [Place]
    var labels: [String: Int]
    var note: String?
    var url: URL
    var savedAt: Date
    var price: Decimal
    var icon: Data
  }

  private static let bookmark = Bookmark(
    title: "Swift", isRead: true, kind: .video, source: .feed(name: "blog"),
    places: [.init(line: 1, ratio: 0.5), .init(line: 2)], labels: ["zLast": 1, "aFirst": 2], note: nil,
    url: URL(filePath: "/a b"), savedAt: Date(timeIntervalSince1970: 1_700_000_000), price: Decimal(1999) / 100,
    icon: Data([0, 255]))

  private static let text = """
    {"title":"Swift","isRead":true,"kind":"video","source":{"feed":{"name":"blog"}},\
    "places":[{"line":1,"ratio":0.5},{"line":2}],"labels":{"aFirst":2,"zLast":1},"url":"file:///a%20b",\
    "savedAt":"2023-11-14T22:13:20Z","price":19.99,"icon":"AP8="}
    """

  @Test func `A record is written in the order of its properties`() throws {
    #expect(try JSONValueEncoder().encode(Self.bookmark).text(pretty: false) == Self.text)
  }

  @Test func `A record is read back`() throws {
    let value = try JSONValue(parsing: Self.text)
    #expect(try JSONValueDecoder().decode(Bookmark.self, from: value) == Self.bookmark)
  }

  @Test func `What is written is what Foundation reads, and the other way round`() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let written = try JSONValueEncoder().encode(Self.bookmark)
    #expect(try decoder.decode(Bookmark.self, from: Data(written.utf8Text())) == Self.bookmark)
    let foreign = try JSONValue(parsing: Array(encoder.encode(Self.bookmark)))
    #expect(try JSONValueDecoder().decode(Bookmark.self, from: foreign) == Self.bookmark)
  }

  private struct Snake: Codable, Equatable {
    var id: Int
    var createdAt: Int
    var imageURL: String
    var urlOfHTMLPage: String
    var x2: [String: Int]
  }

  @Test func `Names of properties are snake case on request, keys of dictionaries stay`() throws {
    let record = Snake(id: 1, createdAt: 2, imageURL: "a", urlOfHTMLPage: "b", x2: ["keepMe": 3, "and_me": 4])
    let value = try JSONValueEncoder(names: .snakeCase).encode(record)
    let expected =
      #"{"id":1,"created_at":2,"image_url":"a","url_of_html_page":"b","x2":{"and_me":4,"keepMe":3}}"#
    #expect(value.text(pretty: false) == expected)
    #expect(try JSONValueDecoder(names: .snakeCase).decode(from: value) == record)
  }

  private enum Topic: String, Codable, CodingKeyRepresentable { case dataStructures, appDesign }

  @Test func `A dictionary's keys are data, whatever their type, and are in order`() throws {
    let encoder = JSONValueEncoder(names: .snakeCase)
    let topics = try encoder.encode([Topic.dataStructures: 1, .appDesign: 2])
    #expect(topics.text(pretty: false) == #"{"appDesign":2,"dataStructures":1}"#)
    let numbers = try encoder.encode(Dictionary(uniqueKeysWithValues: (1...9).map { ($0, true) }))
    #expect(numbers.object?.names == (1...9).map(String.init))
    let value: JSONValue = ["appDesign": 2]
    #expect(try JSONValueDecoder(names: .snakeCase).decode([Topic: Int].self, from: value) == [.appDesign: 2])
  }

  @Test(arguments: ["1e39", "-1e39", "1e999"])
  func `A number beyond a float's range is refused`(_ text: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Float.self, from: value) }
  }

  @Test(arguments: [JSONDateStrategy.secondsSince1970, .millisecondsSince1970])
  func `A number beyond a double's range is not a date`(_ dates: JSONDateStrategy) throws {
    let value = try JSONValue(parsing: "1e999")
    #expect(throws: DecodingError.self) { try JSONValueDecoder(dates: dates).decode(Date.self, from: value) }
  }

  @Test(arguments: [
    (JSONDateStrategy.iso8601, 1_700_000_000, #""2023-11-14T22:13:20Z""#),
    (.iso8601, 1_700_000_000.25, #""2023-11-14T22:13:20.250Z""#), (.iso8601, -1, #""1969-12-31T23:59:59Z""#),
    (.secondsSince1970, 1.5, "1.5"), (.millisecondsSince1970, 1_700_000_000.25, "1700000000250"),
  ])
  func `A date is written and read in each strategy`(
    _ dates: JSONDateStrategy, _ seconds: Double, _ text: String
  ) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let value = try JSONValueEncoder(dates: dates).encode(date)
    #expect(value.text() == text)
    #expect(try JSONValueDecoder(dates: dates).decode(Date.self, from: value) == date)
  }

  @Test func `A date with an offset is read`() throws {
    let value: JSONValue = "2023-11-15T00:13:20+02:00"
    #expect(try JSONValueDecoder().decode(Date.self, from: value) == Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test(arguments: [("1", 1), ("1.0", 1), ("1e3", 1000), ("-0", 0), ("9223372036854775807", Int.max)])
  func `An integer is read from any text that represents one`(_ text: String, _ expected: Int) throws {
    #expect(try JSONValueDecoder().decode(Int.self, from: JSONValue(parsing: text)) == expected)
  }

  @Test func `Numbers keep their digits`() throws {
    let encoder = JSONValueEncoder()
    #expect(try encoder.encode(Float(0.1)).text() == "0.1")
    #expect(try encoder.encode(UInt64.max).text() == "18446744073709551615")
    #expect(try encoder.encode(1e21).text() == "1e+21")
    let decimal = try JSONValueDecoder().decode(Decimal.self, from: JSONValue(parsing: "12345678901234567890.12345"))
    #expect(decimal.description == "12345678901234567890.12345")
    #expect(try JSONValueDecoder().decode(Float.self, from: 0.1) == 0.1)
  }

  @Test func `Values that are not objects are written and read`() throws {
    #expect(try JSONValueEncoder().encode([1, nil, 3]) == [1, nil, 3])
    #expect(try JSONValueDecoder().decode([Int?].self, from: [1, nil, 3]) == [1, nil, 3])
    #expect(try JSONValueEncoder().encode([[String]]()) == [])
    #expect(try JSONValueEncoder().encode([String: Int]()) == [:])
    #expect(try JSONValueEncoder().encode(Int?.none) == .null)
    #expect(try JSONValueDecoder().decode([Int: Bool].self, from: ["1": true]) == [1: true])
  }

  /// Uses nested containers and a superclass, as a class hierarchy does.
  private class Base: Codable {
    var id = 1
  }

  private final class Derived: Base {
    var pair = [2, 3]

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      var pair = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner).nestedUnkeyedContainer(forKey: .pair)
      self.pair = [try pair.decode(Int.self), try pair.decode(Int.self)]
      guard pair.isAtEnd else {
        throw DecodingError.dataCorruptedError(in: pair, debugDescription: "The pair has more than two elements.")
      }
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
      var pair = inner.nestedUnkeyedContainer(forKey: .pair)
      for element in self.pair { try pair.encode(element) }
      try super.encode(to: container.superEncoder())
    }

    private enum Keys: CodingKey { case inner, pair }
  }

  @Test func `Nested containers and superclasses are written and read`() throws {
    let derived = Derived()
    derived.pair = [4, 5]
    derived.id = 6
    let value = try JSONValueEncoder().encode(derived)
    #expect(value.text(pretty: false) == #"{"inner":{"pair":[4,5]},"super":{"id":6}}"#)
    let copy = try JSONValueDecoder().decode(Derived.self, from: value)
    #expect(copy.pair == [4, 5])
    #expect(copy.id == 6)
  }

  @Test(arguments: [
    (#"{"line":"1"}"#, "0.line", #"Expected an integer that fits Int, found "1"."#),
    (#"{"line":1.5}"#, "0.line", "Expected an integer that fits Int, found 1.5."),
    (#"{"line":9223372036854775808}"#, "0.line", "Expected an integer that fits Int, found 9223372036854775808."),
    (
      #"{"line":9007199254740993.0}"#, "0.line",
      "Expected an integer that fits Int, found 9007199254740993.0."
    ),
    (#"{"line":null}"#, "0.line", "Expected an integer that fits Int, found null."),
    (#"{"line":1,"ratio":true}"#, "0.ratio", "Expected a number in range, found true."),
    (#"{"line":1,"ratio":1e999}"#, "0.ratio", "Expected a number in range, found 1e999."),
    ("{}", "0", "There is no member 'line'."),
    ("[]", "0", "Expected an object, found []."),
  ])
  func `What does not fit is described with its path`(_ record: String, _ path: String, _ description: String) throws {
    let value = try JSONValue(parsing: "[\(record)]")
    let error = try #require(throws: DecodingError.self) {
      try JSONValueDecoder().decode([Bookmark.Place].self, from: value)
    }
    let context = try #require(Self.context(of: error))
    #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") == path)
    #expect(context.debugDescription == description)
  }

  private static func context(of error: DecodingError) -> DecodingError.Context? {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }

  @Test(arguments: [JSONValue("yesterday"), 1, .null, ["2023-11-14T22:13:20Z"]])
  func `What is not a date is refused`(_ value: JSONValue) {
    #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Date.self, from: value) }
  }

  @Test func `A number that JSON lacks is refused with its path`() throws {
    let error = try #require(throws: EncodingError.self) { try JSONValueEncoder().encode(["a": [1, Double.nan]]) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == ["a", "1"])
  }
}
