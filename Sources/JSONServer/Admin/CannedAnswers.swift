import HTTPTypes
import OrderedJSON

/// The canned answers of a server.
struct CannedAnswers {
  private struct Entry {
    let answer: CannedAnswer
    let pattern: RequestPattern

    init(_ answer: CannedAnswer) {
      self.answer = answer
      pattern = RequestPattern(method: answer.method, path: answer.path)
    }
  }

  private var entries: [Entry]

  /// - Parameter answers: The first that fits answers.
  init(_ answers: [CannedAnswer]) {
    entries = answers.map(Entry.init)
  }

  /// Adds an answer that comes before those that are there.
  mutating func add(_ answer: CannedAnswer) {
    entries.insert(Entry(answer), at: 0)
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
