import HTTPTypes
import OrderedJSON

/// The canned answers of a server.
struct CannedAnswers {
  private struct Entry {
    let id: Int
    let answer: CannedAnswer
    let pattern: RequestPattern

    init(_ answer: CannedAnswer, id: Int) {
      self.id = id
      self.answer = answer
      pattern = RequestPattern(method: answer.method, path: answer.path)
    }
  }

  private var entries: [Entry] = []
  private var lastID = 0

  /// - Parameter answers: The first that fits answers.
  init(_ answers: [CannedAnswer]) {
    for answer in answers.reversed() { _ = add(answer) }
  }

  /// Adds an answer that comes before those that are there, and returns its id.
  mutating func add(_ answer: CannedAnswer) -> Int {
    lastID += 1
    entries.insert(Entry(answer, id: lastID), at: 0)
    return lastID
  }

  /// Removes an answer; does nothing when it is not there.
  mutating func remove(_ id: Int) {
    entries.removeAll { $0.id == id }
  }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Returns the answer to a call, if one is canned.
  func response(to call: Call) -> Response? {
    entries.first { $0.pattern.matches(call.route) }?.answer.response
  }
}

extension CannedAnswer {
  fileprivate var response: Response {
    var fields: HTTPFields = [:]
    if body != nil { fields[.contentType] = "application/json" }
    fields.replace(with: headerFields)
    return Response(status: status, headerFields: fields, body: .bytes(body?.utf8Text(.pretty) ?? []))
  }
}
