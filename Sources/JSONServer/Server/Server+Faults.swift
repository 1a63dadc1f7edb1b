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

  /// Removes all simulation.faults.
  public func removeFaults() async {
    await engine.removeFaults()
  }

  /// Responds to requests in one way from now on, whatever the data holds; comes before the stubs that are there.
  ///
  /// - Returns: The stub's id, to remove it by.
  @discardableResult
  public func stub(_ stub: Stub) async -> Int {
    await engine.addStub(stub)
  }

  /// Removes a stub; does nothing when it is not there.
  public func removeStub(_ id: Int) async {
    await engine.removeStub(id)
  }

  /// Removes all stubs, those of the configuration too.
  public func removeStubs() async {
    await engine.removeStubs()
  }
}

extension Engine {
  fileprivate func addFault(_ fault: Fault) -> Int { simulation.faults.add(fault) }
  fileprivate func removeFault(_ id: Int) { _ = simulation.faults.remove(id) }
  fileprivate func removeFaults() { simulation.faults.removeAll() }
  fileprivate func addStub(_ stub: Stub) -> Int { simulation.stubs.add(stub) }
  fileprivate func removeStub(_ id: Int) { simulation.stubs.remove(id) }
  fileprivate func removeStubs() { simulation.stubs.removeAll() }
}
