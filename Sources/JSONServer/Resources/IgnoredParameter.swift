import HTTPTypes
import JSONDatabase

/// A parameter of a request that has no effect on it.
struct IgnoredParameter: Sendable, Hashable {
  enum Reason: Sendable, Hashable {
    /// No record of the collection has a member of that name.
    case noMember(of: String)
    /// The route does not take it.
    case notTaken
    /// Its value is none, or another parameter is missing or decides instead: the end of a sentence that starts with
    /// the parameter's name.
    case idle(String)
  }

  let name: String
  let reason: Reason
}

extension IgnoredParameter {
  /// Finds the parameters of a list request that have no effect, filters apart.
  static func idle(in parameters: QueryParameters, takesFilters: Bool) -> [IgnoredParameter] {
    guard !parameters.items.isEmpty else { return [] }
    var idle = nothings(in: parameters, named: ofLists)
    if !takesFilters {
      for name in parameters.names where !ListParameters.isReserved(name) {
        idle.append(
          IgnoredParameter(name: name, reason: .idle("has no effect beside '_where', as in json-server 1.0")))
      }
    }
    // Only these depend on others.
    guard parameters.items.contains(where: { dependent.contains($0.name) }) else { return idle }
    func isGiven(_ name: String) -> Bool {
      parameters.first(name).map { !isNothing($0, as: name) } ?? false
    }
    func add(_ name: String, _ reason: String) { idle.append(IgnoredParameter(name: name, reason: .idle(reason))) }
    if isGiven("_per_page"), !isGiven("_page") { add("_per_page", "has no effect without '_page', as in _page=1") }
    if isGiven("_order"), !isGiven("_sort") {
      add("_order", "has no effect without '_sort', which names the member")
    }
    for name in ["_start", "_end"] where isGiven(name) && isGiven("_page") {
      add(name, "has no effect beside '_page'")
    }
    if isGiven("_limit"), isGiven("_page"), isGiven("_per_page") { add("_limit", "has no effect beside '_per_page'") }
    if isGiven("_start"), !isGiven("_end"), !isGiven("_limit"), !isGiven("_page") {
      add("_start", "has no effect without '_end' or '_limit'")
    }
    return idle
  }

  /// Finds the parameters of a request for changes that have no effect.
  static func besideWatch(in parameters: QueryParameters) -> [IgnoredParameter] {
    parameters.names.filter { !takenByWatch.contains($0) }.map {
      IgnoredParameter(name: $0, reason: .idle("has no effect beside '_watch', which tells of all changes"))
    }
  }

  private static let takenByWatch: Set = ["_watch", "lastEventId", "_delay", "_"]

  /// The parameters of a list that count as not given when their value is none.
  private static let ofLists = ListParameters.numbers.union(["_fields"])
  /// The parameters of a list that have an effect only with or without another.
  private static let dependent = ["_per_page", "_order", "_start", "_end"]

  /// Finds the parameters that should be a number and are what a script writes for none.
  static func nothings(in parameters: QueryParameters, named names: Set<String>) -> [IgnoredParameter] {
    // Few requests have a value that is none; their names need not be looked at.
    guard parameters.items.contains(where: { ListParameters.isNothing($0.value) || $0.value.utf8.first == comma })
    else { return [] }
    return parameters.names.compactMap { name in
      // Those that are repeated add to each other.
      let given = name == "_fields" ? parameters.all(name).joined(separator: ",") : parameters.first(name)
      guard names.contains(name), let value = given, isNothing(value, as: name) else { return nil }
      let reason = value.isEmpty ? "is empty" : "is '\(value)'"
      return IgnoredParameter(name: name, reason: .idle(reason + ", so it counts as not given"))
    }
  }

  private static let comma = UInt8(ascii: ",")

  private static func isNothing(_ value: String, as name: String) -> Bool {
    value.isEmpty || name == "_fields" && value.utf8.allSatisfy { $0 == comma }
      || ListParameters.numbers.contains(name) && ListParameters.isNothing(value)
  }

  /// The most bytes that the names take in a response's head.
  private static let maximumLength = 1024

  /// The value of `X-Ignored-Parameters`: the names, in the order of the request, those that fit; `nil` when none does.
  ///
  /// What is not printable ASCII is percent-encoded, and so are the comma and the percent sign.
  static func fieldValue(_ ignored: [IgnoredParameter], in parameters: QueryParameters) -> String? {
    let names = Set(ignored.map(\.name))
    var value = ""
    for name in parameters.names where names.contains(name) {
      let encoded = PercentEncoding.encodeFieldEntry(name)
      guard value.utf8.count + encoded.utf8.count + 2 <= maximumLength else { continue }
      value += value.isEmpty ? encoded : ", " + encoded
    }
    return value.isEmpty ? nil : value
  }
}

extension Endpoint {
  /// The parameters that it does not take.
  ///
  /// Which filters, sort keys and relations lead nowhere, only the data tells: those are in ``EndpointResult/ignored``.
  func ignoredParameters(_ parameters: QueryParameters, of request: Request) -> [IgnoredParameter] {
    guard !parameters.items.isEmpty else { return [] }
    let isTaken = taken(request)
    var ignored: [IgnoredParameter] = []
    for (name, _) in parameters.items
    where !isTaken(name) && !Self.takenAlways.contains(name) && !ignored.contains(where: { $0.name == name }) {
      ignored.append(IgnoredParameter(name: name, reason: .notTaken))
    }
    guard let list else { return ignored + IgnoredParameter.nothings(in: parameters, named: ["_delay", "_fields"]) }
    return ignored + (isWrite ? list.idle.filter { idle in !ignored.contains { $0.name == idle.name } } : list.idle)
  }

  private static let takenAlways: Set<String> = ["_delay", "callback", "_"]

  /// Whether it takes a parameter, by the parameter's name.
  private func taken(_ request: Request) -> (String) -> Bool {
    switch (target, action) {
    case (.database, _): { _ in false }
    case (.collection, .read):
      { [list] in $0 != "_dependent" && $0 != "_all" && ($0 != "_watch" || list?.query.parent == nil) }
    // Filters, and what does not say which of the matching records are meant.
    case (.collection, .delete):
      { Self.takenByMany.contains($0) || $0 == "_dependent" || !ListParameters.isReserved($0) }
    case (.collection, .merge), (.collection, .replace), (.collection, .patch):
      { Self.takenByMany.contains($0) || !ListParameters.isReserved($0) }
    case (.record, .read): { $0 == "_embed" || $0 == "_expand" || $0 == "_fields" }
    case (.object, .read): { $0 == "_watch" || $0 == "_fields" }
    case (_, .delete): { $0 == "_dependent" || $0 == "_fields" }
    case (_, .create), (_, .createOrMerge), (_, .patch): { $0 == "_fields" }
    case (_, .replace), (_, .merge):
      // Without a body they are its members.
      request.method != .post && request.body.isEmpty
        ? { !ListParameters.isReserved($0) || $0 == "_fields" } : { $0 == "_fields" }
    }
  }

  private static let takenByMany: Set<String> = ["q", "_where", "_all", "_fields"]
}
