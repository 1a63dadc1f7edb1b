import DequeModule

/// The responses that one connection owes, in the order of its requests, whatever order they are made in.
struct ResponseQueue {
  /// A type of its own: a collection of tuples is not specialized.
  private struct Entry {
    let form: ResponseForm
    let isSafe: Bool
    /// Whether the request may still read or change something.
    var isPending = true
    var response: PreparedResponse?
  }

  private var entries: Deque<Entry> = []
  private var firstNumber = 0
  /// The bytes of the bodies that wait for their turn.
  private(set) var heldBytes = 0
  /// The requests that have begun and not taken effect; an unsafe one is alone.
  private var pendingSafe = 0
  private var pendingUnsafe = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  /// The form of the response that is next in order.
  var firstForm: ResponseForm? { entries.first?.form }

  /// Whether a request may begin alongside those that have not taken effect: if it and they are safe (RFC 9112, section
  /// 9.3.2).
  func mayBegin(isSafe: Bool) -> Bool {
    pendingUnsafe == 0 && (isSafe || pendingSafe == 0)
  }

  /// Adds the place of the response to a request that begins.
  ///
  /// - Returns: The number to put the response by.
  mutating func append(_ form: ResponseForm, isSafe: Bool) -> Int {
    entries.append(Entry(form: form, isSafe: isSafe))
    if isSafe { pendingSafe += 1 } else { pendingUnsafe += 1 }
    return firstNumber + entries.count - 1
  }

  /// Records that a request has taken effect.
  ///
  /// - Returns: Whether that was not recorded before.
  mutating func recordEffect(of number: Int) -> Bool {
    let offset = number - firstNumber
    guard entries.indices.contains(offset), entries[offset].isPending else { return false }
    entries[offset].isPending = false
    if entries[offset].isSafe { pendingSafe -= 1 } else { pendingUnsafe -= 1 }
    return true
  }

  /// Puts a response in its place; does nothing when it is filled already or the place is gone.
  mutating func put(_ response: PreparedResponse, at number: Int) {
    let offset = number - firstNumber
    guard entries.indices.contains(offset), entries[offset].response == nil else { return }
    _ = recordEffect(of: number)
    entries[offset].response = response
    heldBytes += response.bytes.count
  }

  /// Takes the response that is next in order; nil when it is not made yet.
  mutating func popReady() -> (form: ResponseForm, response: PreparedResponse)? {
    guard entries.first?.response != nil, let entry = entries.popFirst(), let response = entry.response else {
      return nil
    }
    firstNumber += 1
    heldBytes -= response.bytes.count
    return (entry.form, response)
  }

  /// Removes all places; later responses are dropped.
  mutating func removeAll() {
    firstNumber += entries.count
    entries.removeAll()
    heldBytes = 0
    (pendingSafe, pendingUnsafe) = (0, 0)
  }
}

/// What a request says about the form of its response.
struct ResponseForm {
  /// Whether the response is a head without its body, as to HEAD.
  var isHeadOnly = false
  /// Whether the client speaks HTTP/1.0: no chunks, and the connection is kept only on request.
  var isLegacy = false
  /// Whether the connection stays open for further requests after this one.
  var keepsConnection = false
  /// Whether the request was refused before it was read to its end, so that the client may still be sending.
  var isRefusal = false
}
