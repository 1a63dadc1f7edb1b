import HTTPTypes
import JSONDatabase
import JSONServerValues
import NIOConcurrencyHelpers

/// The runs of a client in each of which its server changes something that its backend may change.
///
/// The first run is unchanged. Its journal says which places of the data the client has asked for, and only those are
/// changed: one change a run, in responses, on a copy of the data as it is at the start.
package struct Rehearsal: Sendable {
  /// How a copy of the server is configured that changes nothing.
  package let unchanged: Server.Configuration
  private let data: JSONValue
  private let walk: RecordWalk

  /// The most records of a resource that are looked at.
  private static let maximumRecords = 1_000

  /// Takes the data of a server as it is now.
  package init(of server: Server) async {
    let database = await server.engine.database
    let dialect = database.schema.dialect
    data = await server.value
    var references: [String: [String: String]] = [:]
    for relation in database.relations() { references[relation.child, default: [:]][relation.key] = relation.parent }
    var resources: [String: RecordWalk.Resource] = [:]
    for (name, value) in data.object ?? [:] {
      let records = value.array.map { Array($0.prefix(Self.maximumRecords)) } ?? [value]
      resources[name] = RecordWalk.Resource(
        isCollection: value.array != nil, idName: database.schema.idName(of: name),
        singular: Inflection.singular(of: name, dialect), records: records,
        members: Set(records.flatMap { $0.object?.names ?? [] }), references: references[name] ?? [:])
    }
    walk = RecordWalk(
      resources: resources, wrapName: server.configuration.wrapName, ignoresCase: dialect == .classic)
    var copy = server.configuration
    copy.source = .value(data)
    copy.port = 0
    copy.durability = .ephemeral
    copy.watching = .off
    (copy.journalCapacity, copy.journalByteCapacity) = (.max, .max)
    unchanged = copy
  }

  /// How a copy of the server is configured that makes a change.
  package func configuration(for change: Change) -> Server.Configuration {
    var configuration = unchanged
    configuration.middleware.append(ChangingMiddleware(change: change, walk: walk))
    if case .records(_, let add) = change.effect, var resources = data.object,
      let records = resources[change.place.resource]?.array
    {
      resources[change.place.resource] = .array(add(records))
      configuration.source = .value(.object(resources))
    }
    return configuration
  }

  /// Chooses among changes: by the row of the catalogue, the resource, the place, or a place and a row (`posts.tags:null`).
  package struct Selection: Sendable {
    package var only: [String] = []
    package var ignored: [String] = []
    package var limit: Int?

    package init(only: [String] = [], ignored: [String] = [], limit: Int? = nil) {
      (self.only, self.ignored, self.limit) = (only, ignored, limit)
    }
  }

  /// Returns the changes for what a client has asked for, in the order of the catalogue.
  ///
  /// - Parameter exchanges: The journal of the unchanged run.
  /// - Throws: ``ServerError`` for what `only` names that is no change, and when nothing was asked for.
  package func changes(
    for exchanges: [Exchange], _ selection: Selection = Selection()
  ) throws(ServerError) -> [Change] {
    var (places, known, counts): ([Place], Set<Place>, [Place: Set<String>]) = ([], [], [:])
    var shown: [String: [JSONValue]] = [:]
    for exchange in exchanges where !exchange.route.target.path.segments.starts(with: [AdminRoute.root]) {
      let (target, status) = (exchange.route.target, exchange.response.status.code)
      guard status < 400 else {
        if known.insert(.error).inserted { places.append(.error) }
        continue
      }
      guard let body = exchange.response.json else { continue }
      _ = walk.map(body, of: target.path.segments) { place, value in
        if !place.isChosen(by: target.parameters), known.insert(place).inserted { places.append(place) }
        if case .member(let name, []) = place { shown[name, default: []].append(value) }
        if case .list = place, let count = value.array?.count { counts[place, default: []].insert("\(count)") }
        return value
      }
    }
    guard !places.isEmpty else {
      throw ServerError(
        .invalidConfiguration, "The run without a change asked this server for no data; nothing can be rehearsed.")
    }
    var resources = walk.resources
    // What there was nothing of at the start is as the client has seen it.
    for (name, records) in shown where resources[name]?.records.isEmpty == true { resources[name]?.records = records }
    let samples = places.map { ($0, PlaceSample(of: $0, in: resources)) }
    let changes = CompatibleChange.catalogue.flatMap { row in
      samples.compactMap { place, sample in
        row.effect(place, sample).map { Change(row: row, place: place, effect: $0, counts: counts[place] ?? []) }
      }
    }
    // What is ignored need not be asked for by every test.
    for name in selection.only where !changes.contains(where: { $0.isNamed(name) }) {
      let names = Set(places.map(\.description)).sorted().joined(separator: ", ")
      let rows = CompatibleChange.catalogue.map(\.name)
      throw ServerError(
        .invalidConfiguration,
        "No change is named '\(name)'. The client asks for \(names); the changes are \(rows.joined(separator: ", ")).")
    }
    let chosen = changes.filter { change in
      (selection.only.isEmpty || selection.only.contains(where: change.isNamed))
        && !selection.ignored.contains(where: change.isNamed)
    }
    return Array(chosen.prefix(selection.limit ?? .max))
  }

  /// One change in one place, and what has come of it.
  package final class Change: Sendable {
    fileprivate struct Trace {
      var requests: [String] = []
      /// The values that the client would have got, as text, and those that it got in their place.
      var vanished: Set<String> = []
      var appeared: Set<String> = []
    }

    /// The most characters that are shown of what went wrong.
    private static let shownLength = 500

    let row: CompatibleChange
    let place: Place
    let effect: CompatibleChange.Effect
    fileprivate let trace: NIOLockedValueBox<Trace>

    fileprivate init(row: CompatibleChange, place: Place, effect: CompatibleChange.Effect, counts: Set<String>) {
      (self.row, self.place, self.effect) = (row, place, effect)
      var trace = Trace()
      switch effect {
      case .value, .emptied, .records: trace.vanished = counts
      case .ids, .error: break
      }
      self.trace = NIOLockedValueBox(trace)
    }

    fileprivate func isNamed(_ name: String) -> Bool {
      [row.name, place.resource, "\(place)", "\(place):\(row.name)", "\(place.resource):\(row.name)"].contains {
        WildcardPattern(name).matches(Array($0.utf8))
      }
    }

    /// `bookmarks.status = "archived-2"`
    package var description: String {
      switch effect {
      case .value(let shown, _), .records(let shown, _): "\(place) \(shown)"
      case .emptied: "\(place) = []"
      case .ids(let form):
        "\(place) = \(form.changed(.string("7")) == .string("7") ? form.changed(7) : form.changed(.string("7")))"
      case .error(let body): "\(place) = \(body)"
      }
    }

    /// Judges a run with the change.
    ///
    /// - Parameters:
    ///   - failures: What the client, or its test, says of each failure; empty when there was none.
    ///   - isCrash: Whether the client ended without a word, so that no value excuses it.
    package func outcome(_ failures: [String], isCrash: Bool = false) -> RehearsedChange {
      let trace = trace.withLockedValue { $0 }
      let verdict: RehearsedChange.Verdict =
        failures.isEmpty && !isCrash
        ? .survived
        : !isCrash && failures.allSatisfy { Quotation.quotes($0, trace.vanished, notIn: trace.appeared) }
          ? .assertsOldValue : .failed
      return RehearsedChange(
        name: row.name, place: "\(place)", description: description, sentence: row.sentence, source: row.source,
        verdict: verdict, request: trace.requests.last,
        failures: failures.map { $0.count > Self.shownLength ? $0.prefix(Self.shownLength) + "…" : $0 })
    }
  }
}

/// What became of a client when its backend changed something.
public struct RehearsedChange: Sendable, Hashable, CustomStringConvertible {
  /// How the client took a change.
  public enum Verdict: String, Sendable, Hashable {
    /// It did its work.
    case survived
    /// A test expects the value that is no longer there, which says nothing about the client.
    case assertsOldValue = "asserts the old value"
    /// It failed.
    case failed
  }

  /// The change's row in the catalogue, such as `null`.
  public let name: String
  /// Where responses were changed, such as `bookmarks.tags`.
  public let place: String
  /// The change, such as `bookmarks.tags = null`.
  public let description: String
  /// What the change is, in a sentence.
  public let sentence: String
  /// An owner of APIs who calls it compatible.
  public let source: String
  /// How the client took it.
  public let verdict: Verdict
  /// The last request whose response was changed; `nil` when there was none.
  public let request: String?
  /// What went wrong, as the client or its test says.
  public let failures: [String]
}

/// Makes one change in the responses of a server, and takes it back in the requests.
private struct ChangingMiddleware: Middleware {
  let change: Rehearsal.Change
  let walk: RecordWalk

  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    guard let path = try? Path(target: request.target), let parameters = try? QueryParameters(target: request.target),
      path.segments.first != AdminRoute.root, !change.place.isChosen(by: parameters)
    else { return try await next(request) }
    var request = request
    if case .ids(let form) = change.effect { form.restore(&request) }
    let segments = ((try? Path(target: request.target)) ?? path).segments
    var response = try await next(request)
    if case .error(let body) = change.effect {
      guard response.status.code >= 400 else { return response }
      response.content = .bytes(JSONValue.object(body).utf8Text())
      response.headerFields[.contentType] = "application/problem+json"
      response.errorMessage = nil
      note(request) { _ in }
      return response
    }
    guard response.status.code < 300 else { return response }
    if case .stream(let stream, nil) = response.content {
      response.content = .stream(events(stream, request))
      return response
    }
    guard !response.bytes.isEmpty, let body = response.json else { return response }
    let changed = walk.map(body, of: segments) { apply($0, $1, request) }
    if case .records = change.effect { note(request) { _ in } }
    let text = changed.utf8Text()
    guard text != body.utf8Text() else { return response }
    // What the client sends back in If-Match is the server's own tag.
    if request.method == .get || request.method == .head, response.headerFields[.eTag] == nil {
      response.headerFields[.eTag] = EntityTag(of: response.bytes).fieldValue
    }
    if let before = body.array?.count, let after = changed.array?.count, before != after {
      if response.headerFields[.xTotalCount] != nil { response.headerFields[.xTotalCount] = "\(after)" }
      response.headerFields[.link] = nil
    }
    if case .ids(let form) = change.effect, let location = response.headerFields[.location],
      segments.last == change.place.resource, let slash = location.lastIndex(of: "/")
    {
      response.headerFields[.location] = location[...slash] + form.changed(String(location[slash...].dropFirst()))
    }
    response.content = .bytes(text)
    return response
  }

  /// Changes the records in server-sent events.
  private func events(_ stream: AsyncStream<[UInt8]>, _ request: Request) -> AsyncStream<[UInt8]> {
    let (changed, continuation) = AsyncStream<[UInt8]>.makeStream()
    let task = Task {
      for await piece in stream { continuation.yield(event(piece, request)) }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return changed
  }

  private func event(_ piece: [UInt8], _ request: Request) -> [UInt8] {
    let lines = String(decoding: piece, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let changed = lines.map { line -> String in
      guard line.hasPrefix("data: "), var event = (try? JSONValue(parsing: line.dropFirst(6).utf8))?.object,
        let name = event["resource"]?.string, walk.resources[name] != nil
      else { return String(line) }
      event["record"] = event["record"].flatMap { walk.record($0, name) { apply($0, $1, request) } }
      if case .ids(let form) = change.effect, name == change.place.resource, let id = event["id"]?.string {
        event["id"] = .string(form.changed(id))
      }
      return "data: " + JSONValue.object(event).text(pretty: false)
    }
    return Array(changed.joined(separator: "\n").utf8)
  }

  /// Changes a value where the change belongs, and keeps what it was and what it is.
  private func apply(_ place: Place, _ value: JSONValue, _ request: Request) -> JSONValue? {
    let changed: JSONValue?
    switch change.effect {
    case .value(_, let replace) where place == change.place: changed = replace(value)
    case .ids(let form) where place == change.place: changed = form.changed(value)
    case .emptied(let known):
      // What the client adds is shown.
      guard case .list(let name) = place, let ids = known[name], let idName = walk.resources[name]?.idName else {
        return value
      }
      changed = value.array.map { .array($0.filter { $0[idName].map { !ids.contains($0) } ?? true }) }
    case .value, .ids, .records, .error: return value
    }
    if changed?.text() != value.text() {
      let (before, after) = (Quotation.texts(of: value), Quotation.texts(of: changed ?? .null))
      note(request) { trace in
        trace.vanished.formUnion(before.subtracting(after))
        trace.appeared.formUnion(after.subtracting(before))
      }
    }
    return changed
  }

  private func note(_ request: Request, _ update: (inout Rehearsal.Change.Trace) -> Void) {
    change.trace.withLockedValue { trace in
      trace.requests.append("\(request.method) \(request.target)")
      update(&trace)
    }
  }
}
