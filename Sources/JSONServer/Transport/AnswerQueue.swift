import NIOCore

/// The answers that one connection owes, in the order of its requests, whatever order they are made in.
struct AnswerQueue {
  private var entries = CircularBuffer<(form: AnswerForm, response: Response?)>()
  private var firstNumber = 0
  /// The bytes of the bodies that wait for their turn.
  private(set) var heldBytes = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Adds the place of an answer.
  ///
  /// - Returns: The number to put the answer by.
  mutating func append(_ form: AnswerForm) -> Int {
    entries.append((form, nil))
    return firstNumber + entries.count - 1
  }

  /// Puts an answer in its place; does nothing when that was done or the place is gone.
  mutating func put(_ response: Response, at number: Int) {
    let offset = number - firstNumber
    guard entries.indices.count > offset, offset >= 0 else { return }
    let index = entries.index(entries.startIndex, offsetBy: offset)
    guard entries[index].response == nil else { return }
    entries[index].response = response
    heldBytes += response.bytes.count
  }

  /// Takes the answer that is next in order; nil when it is not made yet.
  mutating func popReady() -> (form: AnswerForm, response: Response)? {
    guard let first = entries.first, let response = first.response else { return nil }
    entries.removeFirst()
    firstNumber += 1
    heldBytes -= response.bytes.count
    return (first.form, response)
  }

  /// Forgets all places; answers that come later are dropped.
  mutating func removeAll() {
    firstNumber += entries.count
    entries.removeAll()
    heldBytes = 0
  }
}
