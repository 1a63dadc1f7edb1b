import HTTPTypes
import JSONDatabase
import JSONDescription

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
    var idle = nothings(in: parameters, of: .list)
    if !takesFilters {
      for name in parameters.names where !QueryParameter.isReserved(name) {
        idle.append(
          IgnoredParameter(name: name, reason: .idle("has no effect beside '_where', as in json-server 1.0")))
      }
    }
    guard parameters.items.contains(where: { QueryParameter.ruled.contains($0.name) }) else { return idle }
    func isGiven(_ name: String) -> Bool {
      guard let value = parameters.first(name) else { return false }
      return !mayBeNothing(value) || QueryParameter.row(of: name)?.value.isNothing(value) == false
    }
    for (name, without, beside, reason) in QueryParameter.rules
    where isGiven(name) && !without.contains(where: isGiven) && beside.allSatisfy(isGiven) {
      idle.append(IgnoredParameter(name: name, reason: .idle(reason)))
    }
    return idle
  }

  /// Finds the parameters of a request for changes that have no effect.
  static func besideWatch(in parameters: QueryParameters) -> [IgnoredParameter] {
    parameters.names.filter { !QueryParameter.isTaken($0, by: .watch) && $0 != "lastEventId" }.map {
      IgnoredParameter(name: $0, reason: .idle("has no effect beside '_watch', which tells of all changes"))
    }
  }

  /// Finds the parameters that a request takes and that count as not given, because their value is none.
  static func nothings(in parameters: QueryParameters, of taker: QueryParameter.Taker) -> [IgnoredParameter] {
    // Few requests have a value that is none; their names need not be looked at.
    guard parameters.items.contains(where: { mayBeNothing($0.value) }) else { return [] }
    return parameters.names.compactMap { name in
      guard let row = QueryParameter.row(of: name), row.takers.contains(taker) else { return nil }
      // Fields that are repeated add to each other.
      let values = row.value == .fields ? parameters.all(name) : [parameters.first(name) ?? ""]
      guard row.value == .fields || row.value == .number, values.allSatisfy(row.value.isNothing) else { return nil }
      let value = values.joined(separator: ",")
      let reason = value.isEmpty ? "is empty" : "is '\(value)'"
      return IgnoredParameter(name: name, reason: .idle(reason + ", so it counts as not given"))
    }
  }

  /// Whether a value may be none, as its first byte tells.
  private static func mayBeNothing(_ value: String) -> Bool {
    switch value.utf8.first {
    case nil, UInt8(ascii: ","), UInt8(ascii: "u"), UInt8(ascii: "n"), UInt8(ascii: "N"): true
    case _: false
    }
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
    let taker = taker(request)
    var ignored: [IgnoredParameter] = []
    for (name, _) in parameters.items
    where !QueryParameter.isTaken(name, by: taker) && !ignored.contains(where: { $0.name == name }) {
      ignored.append(IgnoredParameter(name: name, reason: .notTaken))
    }
    guard let list else { return ignored + IgnoredParameter.nothings(in: parameters, of: .write) }
    return ignored + (isWrite ? list.idle.filter { idle in !ignored.contains { $0.name == idle.name } } : list.idle)
  }

  /// What decides which parameters it takes.
  private func taker(_ request: Request) -> QueryParameter.Taker {
    switch (target, action) {
    case (.database, _): .allData
    case (.collection, .read): list?.query.parent == nil ? .list : .listBelowRecord
    case (.collection, .delete): .deletionOfMany
    case (.collection, .merge), (.collection, .replace), (.collection, .patch): .changeOfMany
    case (.record, .read): .record
    case (.object, .read): .object
    case (_, .delete): .deletion
    case (_, .create), (_, .createOrMerge), (_, .patch): .write
    case (_, .replace), (_, .merge): request.method != .post && request.body.isEmpty ? .writeByQuery : .write
    }
  }
}
