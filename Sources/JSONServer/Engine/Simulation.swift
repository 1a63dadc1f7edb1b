/// What a mock does besides serving data: what goes wrong, what waits and what is fixed.
struct Simulation {
  var rules: RuleTable
  /// The requests that wait in holds, by the numbers that they have in the journal.
  var held: [Int: (hold: Int, context: RequestContext)] = [:]

  init(_ rules: RuleTable) {
    self.rules = rules
  }
}
