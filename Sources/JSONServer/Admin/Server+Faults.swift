public import HTTPTypes
public import OrderedJSON

extension Server {
  /// Makes requests go wrong; of several faults that fit, the one added first counts.
  ///
  /// - Returns: The fault's id, to remove it by.
  @discardableResult
  public func addFault(_ fault: Fault) async -> Int {
    await engine.addFault(fault)
  }

  /// Removes a fault; does nothing when it is over.
  public func removeFault(_ id: Int) async {
    await engine.removeFault(id)
  }

  /// Removes all faults.
  public func removeFaults() async {
    await engine.removeFaults()
  }

  /// Answers requests in one way from now on, whatever the data holds; comes before the answers that are there.
  public func answer(_ answer: CannedAnswer) async {
    await engine.add(answer)
  }

  /// Answers requests in one way from now on, whatever the data holds; comes before the answers that are there.
  ///
  /// - Parameters:
  ///   - method: The method; `nil` for all.
  ///   - path: The decoded path; a `*` stands for any characters.
  ///   - status: The status to answer with.
  ///   - body: The body, sent as exactly `application/json`; `nil` for none.
  ///   - headerFields: Header fields to answer with, beside those that every answer has.
  public func answer(
    _ method: HTTPRequest.Method? = nil, _ path: String, status: HTTPResponse.Status = .ok, body: JSONValue? = nil,
    headerFields: HTTPFields = [:]
  ) async {
    await engine.add(CannedAnswer(method, path, status: status, body: body, headerFields: headerFields))
  }
}

extension Engine {
  fileprivate func addFault(_ fault: Fault) -> Int { faults.add(fault) }
  fileprivate func removeFault(_ id: Int) { _ = faults.remove(id) }
  fileprivate func removeFaults() { faults.removeAll() }
  fileprivate func add(_ answer: CannedAnswer) { cannedAnswers.add(answer) }
}
