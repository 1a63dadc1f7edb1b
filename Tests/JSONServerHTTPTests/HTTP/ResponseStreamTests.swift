import NIOConcurrencyHelpers
import Testing

@testable import JSONServerHTTP

@Suite struct ResponseStreamTests {
  @Test func `A piece is made when the one before was taken`() async throws {
    let made = NIOLockedValueBox(0)
    let pieces = AsyncStream<ArraySlice<UInt8>> {
      made.withLockedValue { count in
        count += 1
        return count > 1_000 ? nil : [UInt8(ascii: "a")]
      }
    }
    guard case .stream(let stream, nil) = Response.stream(pieces, type: "text/plain").content else {
      Issue.record("the content is not a stream")
      return
    }
    var iterator = stream.makeAsyncIterator()
    for number in 1...3 {
      #expect(await iterator.next() == [UInt8(ascii: "a")])
      #expect(made.withLockedValue { $0 } == number)
    }
  }
}
