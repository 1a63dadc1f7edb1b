import HTTPTypes
import OrderedJSON

extension Engine {
  /// Responds to an administrative request about faults, holds and stubs.
  func response(to route: RuleRoute) throws(RequestError) -> PreparedResponse {
    let files = configuration.bodyFiles
    switch route {
    case .faults: return .json(.array(simulation.faults.all.map(Self.value)))
    case .addFault(let body):
      let id = try simulation.addFault(try Fault(body, files: files))
      return .json(value(of: .fault, id), status: .created)
    case .removeFaults: simulation.removeOwnFaults()
    case .removeFault(let id):
      guard let number = Int(id), simulation.removeFault(number) else { throw Self.unknown("fault", id) }
    case .holds: return .json(.array(simulation.holds.table.all.map(Holds.value)))
    case .addHold(let body):
      let (pattern, times) = try Holds.read(body)
      let id = try simulation.holds.add(pattern, times: times)
      return .json(["id": .number(JSONNumber(id))], status: .created)
    case .releaseHolds(let release): releaseHolds(release)
    case .releaseHold(let id, let release):
      guard let number = Int(id), releaseHold(number, release) else { throw Self.unknown("hold", id) }
    case .stubs: return .json(.array(simulation.stubs.table.all.map(Self.value)))
    case .stub(let id):
      guard let number = Int(id), let rule = simulation.stubs.table[number] else { throw Self.unknown("stub", id) }
      return .json(Self.value(rule))
    case .addStub(let body):
      let id = try simulation.stubs.add(try Stub(body, files: files))
      return .json(value(of: .stub, id), status: .created)
    case .removeStubs: simulation.stubs.removeOwn()
    case .removeStub(let id):
      guard let number = Int(id), simulation.stubs.remove(number) else { throw Self.unknown("stub", id) }
    }
    return .json([:])
  }

  private static func value(_ rule: RuleTable<Fault>.Rule) -> JSONValue {
    rule.value.value(id: rule.id, timesLeft: rule.timesLeft, matcher: rule.matcher)
  }

  private static func value(_ rule: RuleTable<Stubs.Entry>.Rule) -> JSONValue {
    rule.value.stub.value(id: rule.id, timesLeft: rule.timesLeft, matcher: rule.matcher)
  }

  /// A fault or a stub as it is listed; null for one that is gone.
  func value(of kind: SharedRule.Kind, _ id: Int) -> JSONValue {
    switch kind {
    case .fault: simulation.faults[id].map(Self.value) ?? .null
    case .stub: simulation.stubs.table[id].map(Self.value) ?? .null
    }
  }

  static func unknown(_ kind: String, _ id: String) -> RequestError {
    RequestError(.notFound, "There is no \(kind) '\(id)'; GET /__admin/\(kind)s lists those there are.")
  }
}
