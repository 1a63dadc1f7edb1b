import HTTPTypes
import JSONDatabase
package import JSONServer
import JSONServerValues

/// What a client did with the data when one request met one condition of the network.
public struct NetworkFinding: Sendable, Hashable, Encodable, CustomStringConvertible {
  /// How a run ended.
  public enum Outcome: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The client ended well, with other data than undisturbed.
    case differs
    /// The client failed, and left other data when it was run again.
    case differsAfterRepetition = "differs-after-repetition"
    /// The client failed, and failed again.
    case failsAgain = "fails-again"
  }

  /// The method of the disturbed request.
  public let method: String
  /// The path of the disturbed request in the undisturbed run.
  public let path: String
  /// The path with `*` in place of ids.
  public let route: String
  /// The place of the request among those of its method and route, from 1.
  public let number: Int
  /// What happened to the request.
  public let condition: NetworkCondition
  /// How the run ended.
  public let outcome: Outcome
  /// What the undisturbed run left, or how it ended.
  public let expected: String
  /// What this run left, or how it ended.
  public let found: String

  /// The finding in a line.
  public var description: String {
    let place = number > 1 ? "\(method) \(path) (number \(number))" : "\(method) \(path)"
    let end = outcome == .failsAgain ? found : "\(found), should be \(expected)"
    return
      "\(place)   \(condition.description)   \(end)\(outcome == .differsAfterRepetition ? ", after a repetition" : "")"
  }
}

/// The runs of a client in a bad network: each request of an undisturbed run met each condition once.
public struct NetworkReport: Sendable, Encodable, CustomStringConvertible {
  /// The number of requests of the undisturbed run.
  public let requests: Int
  /// The number of requests that were disturbed: of more than 40, one for each method and route.
  public let disturbed: Int
  /// The number of conditions.
  public let conditions: Int
  /// The number of disturbed runs.
  public let runs: Int
  /// The number of runs that failed, and ended as the undisturbed one when they were repeated.
  public let recovered: Int
  /// The number of runs that did not send the request again.
  public let notMet: Int
  /// The runs that ended otherwise, the worst first.
  public let findings: [NetworkFinding]

  /// The report as text.
  public var description: String {
    func counted(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
    var lines = ["\(counted(requests, "request")), \(counted(conditions, "condition")): \(counted(runs, "run"))"]
    if disturbed < requests {
      lines.append(
        "\(disturbed) requests are disturbed: the first \(NetworkRehearsal.maximumRequests), then one of each kind.")
    }
    lines += findings.map { "  ✗ \($0)" }
    let same = runs - findings.count - notMet
    lines.append(
      "\(same) of \(runs) runs leave the right data\(recovered > 0 ? ", \(recovered) of them after a repetition" : "")."
    )
    if notMet > 0 { lines.append("\(notMet) runs did not send the request that was to be disturbed.") }
    return lines.joined(separator: "\n")
  }
}

/// Runs of a client, each with one disturbance of one of its requests, from the same data.
package struct NetworkRehearsal: Sendable {
  /// The method of a request, and its path with `*` in place of ids.
  package struct Kind: Sendable, Hashable {
    let method: HTTPRequest.Method
    let route: String
  }

  /// A request of the undisturbed run.
  package struct Request: Sendable {
    let kind: Kind
    let path: String
    /// Its place among those of its kind, from 1.
    let number: Int
    fileprivate let exchange: Exchange
  }

  /// What was left when a client had run once, or twice after a failure.
  package struct Run: Sendable {
    package let failures: [String]
    fileprivate let data: Database

    /// - Parameter failures: How the first run and its repetition failed.
    package init(failures: [String], on server: Server) async {
      self.failures = failures
      data = await server.database
    }
  }

  /// The disturbances of a client's requests, and the numbers of the report.
  package struct Plan: Sendable {
    let requests: Int
    let disturbed: Int
    let conditions: Int
    package let disturbances: [Disturbance]
  }

  /// The names of the collections, for the routes of requests.
  struct Routes: Sendable {
    let collections: Set<String>

    /// The kind of a request; `nil` for one that is not the client's own.
    func kind(of request: JSONServer.Request) -> Kind? {
      guard let target = try? RequestTarget(request.target), !target.isAdministrative, request.method != .options else {
        return nil
      }
      return Kind(method: request.method, route: route(of: target.segments))
    }

    func route(of segments: [String]) -> String {
      segments.indices.map { index in
        index > 0 && collections.contains(segments[index - 1]) ? "/*" : "/\(segments[index])"
      }.joined()
    }
  }

  /// The largest number of requests that are all disturbed.
  package static let maximumRequests = 40
  /// How much longer than the undisturbed run a disturbed one may take.
  package static let patience = Duration.seconds(10)

  /// The configuration of a server without disturbances.
  package let undisturbed: Server.Configuration
  private let routes: Routes
  private let start: Database

  /// Copies the current data of a server.
  package init(of server: Server) async {
    undisturbed = await Rehearsal(of: server).unchanged
    start = await server.database
    routes = Routes(collections: Set(await server.resources.filter { $0.count != nil }.map { $0.name }))
  }

  /// The configuration of a server with a disturbance.
  package func configuration(with disturbance: Disturbance) -> Server.Configuration {
    var configuration = undisturbed
    configuration.middleware.append(disturbance)
    return configuration
  }

  /// The disturbances of the requests of an undisturbed run.
  ///
  /// - Parameters:
  ///   - only: The requests, such as `POST /orders`, with `*` for any characters; none for all.
  ///   - conditions: The conditions; none for all.
  /// - Throws: ``ServerError`` when the client has sent no such request.
  package func plan(
    for exchanges: [Exchange], only: [String] = [], conditions: [NetworkCondition] = []
  ) throws(ServerError) -> Plan {
    var counts: [Kind: Int] = [:]
    var requests: [Request] = []
    for exchange in exchanges where exchange.route.method != .options {
      let segments = exchange.route.target.segments
      let kind = Kind(method: exchange.route.method, route: routes.route(of: segments))
      counts[kind, default: 0] += 1
      requests.append(
        Request(kind: kind, path: "/" + segments.joined(separator: "/"), number: counts[kind] ?? 1, exchange: exchange))
    }
    let chosen = requests.filter { request in
      only.isEmpty
        || only.contains { name in
          [request.path, request.kind.route].contains {
            WildcardPattern(name).matches(Array("\(request.kind.method.rawValue) \($0)".utf8))
          }
        }
    }
    guard !chosen.isEmpty else {
      let names = Set(requests.map { "\($0.kind.method.rawValue) \($0.path)" }).sorted().joined(separator: ", ")
      throw ServerError(
        .invalidConfiguration,
        names.isEmpty
          ? "The undisturbed run sent no request to this server." : "No request has this name; there are \(names).")
    }
    var known: Set<Kind> = []
    let disturbed = chosen.enumerated().filter { index, request in
      let isFirst = known.insert(request.kind).inserted
      return index < Self.maximumRequests || isFirst
    }.map(\.element)
    let conditions = NetworkCondition.allCases.filter { conditions.isEmpty || conditions.contains($0) }
    let disturbances = disturbed.flatMap { request in
      conditions.filter { $0.applies(to: request.exchange) }.map { Disturbance($0, of: request, routes) }
    }
    return Plan(
      requests: chosen.count, disturbed: disturbed.count, conditions: conditions.count, disturbances: disturbances)
  }

  /// Judges the runs with disturbances by two undisturbed runs.
  package func report(
    _ plan: Plan, undisturbed: [Run], _ runs: [(Disturbance, Run)]
  ) -> NetworkReport {
    let comparison = DataComparison(from: start, undisturbed.map(\.data), fills: self.undisturbed.fills)
    var findings: [NetworkFinding] = []
    var (recovered, notMet) = (0, 0)
    for (disturbance, run) in runs {
      guard disturbance.isMet else {
        notMet += 1
        continue
      }
      let failures = run.failures
      let outcome: NetworkFinding.Outcome?
      var (expected, found) = ("", "")
      if failures.count == 2 {
        outcome = .failsAgain
        (expected, found) = ("a run that ends well", "\(failures[0]) and, repeated: \(failures[1])")
      } else if let difference = comparison.difference(of: run.data) {
        outcome = failures.isEmpty ? .differs : .differsAfterRepetition
        (expected, found) = difference
      } else {
        outcome = nil
        recovered += failures.count
      }
      guard let outcome else { continue }
      let request = disturbance.request
      findings.append(
        NetworkFinding(
          method: request.kind.method.rawValue, path: request.path, route: request.kind.route, number: request.number,
          condition: disturbance.condition, outcome: outcome, expected: expected, found: found))
    }
    let ordered = NetworkFinding.Outcome.allCases.flatMap { outcome in findings.filter { $0.outcome == outcome } }
    return NetworkReport(
      requests: plan.requests, disturbed: plan.disturbed, conditions: plan.conditions, runs: runs.count,
      recovered: recovered, notMet: notMet, findings: ordered)
  }
}
