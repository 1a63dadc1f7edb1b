import HTTPTypes
import JSONDatabase
package import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers

/// The result of one run of a client, with one change of its backend.
public struct RehearsedChange: Sendable, Hashable, Encodable, CustomStringConvertible {
  /// How the client dealt with a change.
  public enum Verdict: String, Sendable, Hashable, Encodable {
    /// The client did its work.
    case survived
    /// A test expects the value from before the change; the client itself may be fine.
    case assertsOldValue
    /// The client failed.
    case failed
  }

  /// The name of the change in the catalog, such as `null`.
  public let name: String
  /// The changed place in responses, such as `bookmarks.tags`.
  public let place: String
  /// The change, such as `bookmarks.tags = null`.
  public let description: String
  /// The change in a sentence.
  public let sentence: String
  /// The published policy of an API owner that calls the change compatible.
  public let source: String
  /// How the client dealt with the change.
  public let verdict: Verdict
  /// The last request whose response was changed; `nil` when there was none.
  public let request: String?
  /// The failures, in the words of the client or its test.
  public let failures: [String]
}

/// Runs of a client, each with one change that its backend may make.
///
/// The first run is without changes. Its journal shows the places in the data that the client asks for. Each later run
/// changes one of these places, in responses, on a copy of the data at the start.
package struct Rehearsal: Sendable {
  /// The configuration of a copy of the server without changes.
  package let unchanged: Server.Configuration
  private let data: JSONObject
  private let walk: RecordWalk

  /// Copies the current data of a server.
  package init(of server: Server) async {
    let database = await server.database
    data = database.value.object ?? [:]
    let references = database.parents
    let resources = data.map { name, value in
      let records = value.array.map { Array($0.prefix(DataDescription.maximumRecords)) } ?? [value]
      let resource = RecordWalk.Resource(
        isCollection: value.array != nil, idName: database.schema.idName(of: name),
        singular: Inflection.singular(of: name, database.dialect), records: records,
        members: Set(records.flatMap { $0.object?.names ?? [] }), references: references[name] ?? [:])
      return (name, resource)
    }
    walk = RecordWalk(
      resources: Dictionary(resources) { $1 }, wrapName: server.configuration.wrapName,
      ignoresCase: database.dialect == .classic)
    var copy = server.configuration
    copy.source = .value(.object(data))
    (copy.port, copy.durability, copy.watching) = (0, .ephemeral, .off)
    (copy.journalCapacity, copy.journalByteCapacity) = (.max, .max)
    unchanged = copy
  }

  /// The configuration of a copy of the server that makes a change.
  package func configuration(for change: Change) -> Server.Configuration {
    var (configuration, data, name) = (unchanged, data, change.place.resource)
    configuration.middleware.append(ChangingMiddleware(change: change, walk: walk))
    if case .records(_, let add) = change.effect { data[name] = data[name]?.array.map { .array(add($0)) } }
    configuration.source = .value(.object(data))
    return configuration
  }

  /// Returns the changes of the places that a client asks for, in the order of the catalog.
  ///
  /// - Parameters:
  ///   - exchanges: The journal of the unchanged run.
  ///   - only: The names of the changes, with `*` for any characters: the name of a change, a resource, a place, or a
  ///     place and a change (`posts.tags:null`). None for all changes.
  ///   - ignored: The names of changes that are left out.
  /// - Throws: ``ServerError`` when `only` has a name of no change, and when the client asked for no data.
  package func changes(
    for exchanges: [Exchange], only: [String] = [], ignored: [String] = [], limit: Int? = nil
  ) throws(ServerError) -> [Change] {
    var (places, counts, shown): ([Place], [Place: Set<String>], [String: [JSONValue]]) = ([], [:], [:])
    for exchange in exchanges {
      let target = exchange.route.target
      guard let response = exchange.response else { continue }
      if response.status.code >= 400 { places.append(.error) }
      guard response.status.code < 300, let body = response.json else { continue }
      _ = walk.map(body, of: target.segments) { place, value in
        if !place.isChosen(by: target.parameters) { places.append(place) }
        if case .list = place, let count = value.array?.count { counts[place, default: []].insert("\(count)") }
        if case .member(let name, []) = place { shown[name, default: []].append(value) }
        return value
      }
    }
    var resources = walk.resources
    // A resource that was empty at the start has the records that the client has seen.
    for (name, records) in shown where resources[name]?.records.isEmpty == true { resources[name]?.records = records }
    var known: Set<Place> = []
    let samples = places.filter { known.insert($0).inserted }.map { ($0, PlaceSample(of: $0, in: resources)) }
    let changes = CompatibleChange.catalog.flatMap { row in
      samples.compactMap { place, sample in
        row.effect(place, sample).map { Change(row: row, place: place, effect: $0, counts: counts[place] ?? []) }
      }
    }
    guard !changes.isEmpty else {
      throw ServerError(.invalidConfiguration, "The run without a change read no data that could change.")
    }
    if let name = only.first(where: { name in !changes.contains { $0.isNamed(name) } }) {
      let names = Set(changes.flatMap { ["\($0.place)", $0.row.name] }).sorted().joined(separator: ", ")
      let isKnown = CompatibleChange.catalog.contains { $0.name == name }
      let problem = isKnown ? "The change '\(name)' does not apply to this data" : "No change is named '\(name)'"
      throw ServerError(.invalidConfiguration, "\(problem); there are \(names).")
    }
    let chosen = changes.filter {
      (only.isEmpty || only.contains(where: $0.isNamed)) && !ignored.contains(where: $0.isNamed)
    }
    return Array(chosen.prefix(limit ?? .max))
  }

  /// One change in one place, and its effect on responses.
  package final class Change: Sendable {
    let row: CompatibleChange
    let place: Place
    let effect: CompatibleChange.Effect
    /// The last request with a changed response, the values before the change, and the values after it.
    fileprivate let trace: NIOLockedValueBox<(request: String?, vanished: Set<String>, appeared: Set<String>)>

    fileprivate init(row: CompatibleChange, place: Place, effect: CompatibleChange.Effect, counts: Set<String>) {
      (self.row, self.place, self.effect) = (row, place, effect)
      trace = NIOLockedValueBox((nil, counts, []))
    }

    fileprivate func isNamed(_ name: String) -> Bool {
      [row.name, place.resource, "\(place)", "\(place):\(row.name)", "\(place.resource):\(row.name)"].contains {
        WildcardPattern(name).matches(Array($0.utf8))
      }
    }

    private var shown: String {
      switch effect {
      case .value(let shown, _), .records(let shown, _): shown
      case .emptied: "= []"
      case .ids(.larger): "= \(IDForm.larger.changed(1))"
      case .ids(let form): "= \"\(form.changed("7"))\""
      case .error(let body): "= \(body)"
      }
    }

    /// Judges a run with the change.
    ///
    /// - Parameters:
    ///   - failures: The messages of the client or its test; empty without failures.
    ///   - isCrash: Whether the client crashed. A crash always counts.
    package func outcome(_ failures: [String], isCrash: Bool = false) -> RehearsedChange {
      let (request, vanished, appeared) = trace.withLockedValue { $0 }
      let isExcused = !isCrash && failures.allSatisfy { Quotation.quotes($0, vanished, notIn: appeared) }
      return RehearsedChange(
        name: row.name, place: "\(place)", description: "\(place) \(shown)", sentence: row.sentence,
        source: row.source, verdict: failures.isEmpty ? .survived : isExcused ? .assertsOldValue : .failed,
        request: request, failures: failures.map { $0.count > 500 ? $0.prefix(500) + "…" : $0 })
    }
  }
}

/// Makes one change in the responses of a server, and reverts it in requests.
private struct ChangingMiddleware: Middleware {
  let change: Rehearsal.Change
  let walk: RecordWalk

  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    var request = request
    if case .ids(let form) = change.effect { form.restore(&request) }
    guard let target = try? RequestTarget(request.target), !target.isAdministrative,
      !change.place.isChosen(by: target.parameters)
    else { return try await next(request) }
    let shown = "\(request.method) \(request.target)"
    var response = try await next(request)
    if case .error(let body) = change.effect, response.status.code >= 400 {
      response.content = .bytes(body.utf8Text())
      response.headerFields[.contentType] = "application/problem+json"
      response.errorMessage = nil
      change.trace.withLockedValue { $0.request = shown }
    }
    guard response.status.code < 300 else { return response }
    guard let body = response.json else { return response }
    let changed = walk.map(body, of: target.segments) { apply($0, $1, shown) }
    let text = changed.utf8Text()
    guard text != body.utf8Text() else { return response }
    // The client sends the server's own tag back in If-Match.
    if request.isSafe, response.headerFields[.eTag] == nil {
      response.headerFields[.eTag] = EntityTag(of: response.bytes).fieldValue
    }
    if let count = changed.array?.count, count != body.array?.count {
      if response.headerFields[.xTotalCount] != nil { response.headerFields[.xTotalCount] = "\(count)" }
      response.headerFields[.link] = nil
    }
    if case .ids(let form) = change.effect, let location = response.headerFields[.location],
      target.segments.last == change.place.resource, let slash = location.lastIndex(of: "/")
    {
      response.headerFields[.location] = location[...slash] + form.changed(String(location[slash...].dropFirst()))
    }
    response.content = .bytes(text)
    return response
  }

  /// Changes a value in the place of the change, and records the values before and after.
  private func apply(_ place: Place, _ value: JSONValue, _ request: String) -> JSONValue? {
    let changed: JSONValue?
    switch change.effect {
    case .value(_, let replace) where place == change.place: changed = replace(value)
    case .ids(let form) where place == change.place: changed = form.changed(value)
    case .emptied(let known):
      // Records that the client has added are shown.
      guard case .list(let name) = place, let ids = known[name], let resource = walk.resources[name] else {
        return value
      }
      changed = value.array.map {
        .array($0.filter { record in record[resource.idName].map { !ids.contains($0) } ?? true })
      }
    case .records where place == change.place: changed = value
    case .value, .ids, .records, .error: return value
    }
    let (before, after) = (Quotation.texts(of: value), Quotation.texts(of: changed ?? .null))
    change.trace.withLockedValue { trace in
      trace.request = request
      trace.vanished.formUnion(before.subtracting(after))
      trace.appeared.formUnion(after.subtracting(before))
    }
    return changed
  }
}

extension Database {
  /// The collections to whose records members refer, by resource and member.
  var parents: [String: [String: String]] {
    relations().reduce(into: [:]) { parents, relation in
      parents[relation.child, default: [:]][relation.key] = relation.parent
    }
  }
}
