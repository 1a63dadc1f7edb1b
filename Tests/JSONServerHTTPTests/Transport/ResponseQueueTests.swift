import Testing

@testable import JSONServerHTTP

struct ResponseQueueTests {
  private static func taken(_ queue: inout ResponseQueue) -> [String] {
    var texts: [String] = []
    while let (_, response) = queue.popReady() { texts.append(String(decoding: response.bytes, as: UTF8.self)) }
    return texts
  }

  @Test func `Responses leave in the order of their places, and count while they wait`() {
    var queue = ResponseQueue()
    let numbers = (0..<3).map { _ in queue.append(ResponseForm(), isSafe: true) }
    queue.put(.text("ccc"), at: numbers[2])
    queue.put(.text("bb"), at: numbers[1])
    #expect(Self.taken(&queue).isEmpty)
    #expect(queue.heldBytes == 5)
    queue.put(.text("a"), at: numbers[0])
    #expect(Self.taken(&queue) == ["a", "bb", "ccc"])
    #expect(queue.heldBytes == 0)
  }

  @Test func `A second response to one request is dropped`() {
    var queue = ResponseQueue()
    let number = queue.append(ResponseForm(), isSafe: true)
    queue.put(.text("first"), at: number)
    queue.put(.text("second"), at: number)
    #expect(queue.heldBytes == 5)
    #expect(Self.taken(&queue) == ["first"])
    queue.put(.text("third"), at: number)
    #expect(queue.heldBytes == 0)
  }

  @Test func `A response whose place is gone is not taken for another`() {
    var queue = ResponseQueue()
    let gone = queue.append(ResponseForm(), isSafe: true)
    queue.put(.text("dropped"), at: gone)
    queue.removeAll()
    #expect(queue.heldBytes == 0)
    let next = queue.append(ResponseForm(), isSafe: true)
    queue.put(.text("late"), at: gone)
    #expect(Self.taken(&queue).isEmpty)
    queue.put(.text("next"), at: next)
    #expect(Self.taken(&queue) == ["next"])
  }
}
