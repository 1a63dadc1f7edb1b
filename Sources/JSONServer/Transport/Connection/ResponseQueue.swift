import DequeModule

/// The answers that one connection owes, in the order of its requests, whatever order they are made in.
struct ResponseQueue {
  /// A type of its own: a collection of tuples is not specialized.
  private struct Entry {
    let form: ResponseForm
    var response: PreparedResponse?
  }

  private var entries: Deque<Entry> = []
  private var firstNumber = 0
  /// The bytes of the bodies that wait for their turn.
  private(set) var heldBytes = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Adds the place of an answer.
  ///
  /// - Returns: The number to put the answer by.
  mutating func append(_ form: ResponseForm) -> Int {
    entries.append(Entry(form: form, response: nil))
    return firstNumber + entries.count - 1
  }

  /// Puts an answer in its place; does nothing when that was done or the place is gone.
  mutating func put(_ response: PreparedResponse, at number: Int) {
    let offset = number - firstNumber
    guard entries.indices.contains(offset), entries[offset].response == nil else { return }
    entries[offset].response = response
    heldBytes += response.bytes.count
  }

  /// Takes the answer that is next in order; nil when it is not made yet.
  mutating func popReady() -> (form: ResponseForm, response: PreparedResponse)? {
    guard entries.first?.response != nil, let entry = entries.popFirst(), let response = entry.response else {
      return nil
    }
    firstNumber += 1
    heldBytes -= response.bytes.count
    return (entry.form, response)
  }

  /// Forgets all places; answers that come later are dropped.
  mutating func removeAll() {
    firstNumber += entries.count
    entries.removeAll()
    heldBytes = 0
  }
}

/// What a request says about the form of its answer.
struct ResponseForm {
  /// Whether the answer is a head without its body, as to HEAD.
  var isHeadOnly = false
  /// Whether the client speaks HTTP/1.0: no chunks, and the connection is kept only on request.
  var isLegacy = false
  /// Whether the connection is for further requests after this one.
  var keepsConnection = false
  /// Whether the request was refused before it was read to its end, so that the client may still be sending.
  var isRefusal = false
}
