extension Server {
  /// Makes requests go wrong; of several faults that match, the one added first counts.
  ///
  /// - Returns: The fault's id, to remove it by.
  @discardableResult
  public func addFault(_ fault: Fault) async -> Int {
    await engine.addFault(fault)
  }

  /// Removes a fault; does nothing when it has expired.
  public func removeFault(_ id: Int) async {
    await engine.removeFault(id)
  }

  /// Removes all faults.
  public func removeFaults() async {
    await engine.removeFaults()
  }

  /// Responds in one way to matching requests from now on, whatever the data holds; precedes the existing stubs.
  ///
  /// - Returns: The stub's id, to remove it by.
  @discardableResult
  public func stub(_ stub: Stub) async -> Int {
    await engine.addStub(stub)
  }

  /// Removes a stub; does nothing when it does not exist.
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
