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
  ///
  /// - Returns: The answer's id, to remove it by.
  @discardableResult
  public func answer(_ answer: Stub) async -> Int {
    await engine.addAnswer(answer)
  }

  /// Removes a canned answer; does nothing when it is not there.
  public func removeAnswer(_ id: Int) async {
    await engine.removeAnswer(id)
  }

  /// Removes all canned answers, those of the configuration too.
  public func removeAnswers() async {
    await engine.removeAnswers()
  }
}

extension Engine {
  fileprivate func addFault(_ fault: Fault) -> Int { faults.add(fault) }
  fileprivate func removeFault(_ id: Int) { _ = faults.remove(id) }
  fileprivate func removeFaults() { faults.removeAll() }
  fileprivate func addAnswer(_ answer: Stub) -> Int { stubs.add(answer) }
  fileprivate func removeAnswer(_ id: Int) { stubs.remove(id) }
  fileprivate func removeAnswers() { stubs.removeAll() }
}
