import JSONServerValues
import Testing

struct TextTests {
  @Test func `A slice shares its storage`() {
    let text = UTF8Slice("{\"a\": 1}")
    let slice = text[1..<4]
    #expect(slice.string == "\"a\"")
    #expect(slice.storage === text.storage)
    #expect(slice[1..<2].string == "a")
    #expect(slice == UTF8Slice("\"a\""))
    #expect(slice != text)
  }

  @Test func `A storage holds what its initializer wrote`() throws {
    let storage = UTF8Buffer(capacity: 8) { buffer, count in
      buffer[0] = UInt8(ascii: "a")
      count = 1
    }
    #expect(UTF8Slice(storage).string == "a")
    #expect(UTF8Buffer(capacity: 0) { _, _ in }.count == 0)
  }

  @Test(arguments: [(0, 1, 1), (2, 1, 3), (3, 2, 1), (6, 2, 3), (8, 2, 4), (99, 2, 4)])
  func `A place is counted in lines and characters`(_ offset: Int, _ line: Int, _ column: Int) {
    let place = Array("ab\nxé😀".utf8).withUnsafeBufferPointer { TextPosition(offset: offset, in: $0) }
    #expect([place.line, place.column] == [line, column])
  }
}
