import HTTPTypes
import JSONDatabase
package import JSONDescription
package import JSONServerHTTP
import JSONServerValues

/// A parameter without effect.
package struct IgnoredParameter: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// No record of the collection has a member of that name.
    case noMember(of: String)
    /// The route does not use the parameter.
    case notTaken
    /// The value is empty, or another parameter is missing or decides; has the end of a sentence after the parameter's
    /// name.
    case idle(String)
  }

  package let name: String
  let reason: Reason

  /// The largest size of the names in a response's head, in bytes.
  private static let maximumLength = 1024

  /// The value of `X-Ignored-Parameters`: the names in the order of the request, as far as they fit; `nil` when none
  /// fits.
  ///
  /// Characters that are not printable ASCII, the comma and the percent sign are percent-encoded.
  package static func fieldValue(_ ignored: [IgnoredParameter], in parameters: QueryParameters) -> String? {
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
  /// The parameters that the request cannot use, whatever the data holds.
  ///
  /// Only the data can tell which filters, sort keys and relations have no effect: those are in
  /// ``EndpointResult/ignored``.
  package func ignoredParameters(_ parameters: QueryParameters, of request: Request) -> [IgnoredParameter] {
    if let inner { return inner.endpoint.ignoredParameters(parameters, of: request) }
    return parameters.ignored(by: taker(request), list)
  }

  /// The kind of request, which decides which parameters it can use.
  private func taker(_ request: Request) -> QueryParameter.Taker {
    switch (target, action) {
    case (.database, _): .allData
    case (.collection, .read): parent == nil ? .list : .listBelowRecord
    case (.collection, .delete): .deletionOfMany
    case (.collection, .merge), (.collection, .replace), (.collection, .patch): .changeOfMany
    case (.record, .read): .record
    case (.object, .read): .object
    case (_, .delete): .deletion
    case (_, .create), (_, .createOrMerge), (_, .patch): .write
    case (_, .replace), (_, .merge): request.method != .post && request.bytes.isEmpty ? .writeByQuery : .write
    }
  }
}

extension QueryParameters {
  /// The parameters without effect on a request, each with its reason.
  ///
  /// - Parameter list: The parsed parameters of a request for a list, or for a change of many records.
  /// - Complexity: O(square of the number of parameters), of which a request has a hundred at most.
  package func ignored(by taker: QueryParameter.Taker, _ list: ListParameters? = nil) -> [IgnoredParameter] {
    var ignored: [IgnoredParameter] = []
    var last: String?
    for (name, _) in items where name != last {
      last = name
      if let reason = reason(name, taker, list), !ignored.contains(where: { $0.name == name }) {
        ignored.append(IgnoredParameter(name: name, reason: reason))
      }
    }
    return ignored
  }

  /// The reason why a parameter has no effect; `nil` for one that has an effect, or for which the data decides.
  private func reason(
    _ name: String, _ taker: QueryParameter.Taker, _ list: ListParameters?
  ) -> IgnoredParameter.Reason? {
    if taker == .watch {
      return QueryParameter.isTaken(name, by: taker) || name == "lastEventId"
        ? nil : .idle("has no effect beside '_watch', which tells of all changes")
    }
    guard QueryParameter.isTaken(name, by: taker) else { return .notTaken }
    if let reason = nothing(name) { return reason }
    guard let list else { return nil }
    guard QueryParameter.isReserved(name) else {
      if list.cursorNames.contains(name) { return nil }
      if !list.takesFilters { return .idle("has no effect beside '_where', as in json-server 1.0") }
      return list.query.criteria.parent?.key.name == name
        ? .idle("has no effect here, since the id in the path selects") : nil
    }
    if list.query.criteria.isForChange { return doubt(name, list) }
    let rule = QueryParameter.rules.first { rule in
      rule.name == name && isGiven(name) && !rule.without.contains(where: isGiven) && rule.beside.allSatisfy(isGiven)
    }
    return rule.map { .idle($0.reason) }
  }

  /// Why a parameter that selects records for a change selects more than intended; `nil` when it does not.
  private func doubt(_ name: String, _ list: ListParameters) -> IgnoredParameter.Reason? {
    guard QueryParameter.selecting.contains(name) else { return nil }
    let values = all(name)
    if values.count > 1 { return .idle("is given \(values.count) times, of which only the first would count") }
    if values == [""] { return .idle("is empty") }
    guard name == "_where", list.query.criteria.conditions?.isMetByAll ?? false else { return nil }
    return .idle("holds a condition that every record meets")
  }

  /// Why the value of a parameter counts as not given; `nil` for any other value.
  private func nothing(_ name: String) -> IgnoredParameter.Reason? {
    guard let first = first(name), Self.mayBeNothing(first), let row = QueryParameter.row(of: name),
      row.value == .fields || row.value == .number
    else { return nil }
    // Repeated `_fields` add up.
    let values = row.value == .fields ? all(name) : [first]
    guard values.allSatisfy(row.value.isNothing) else { return nil }
    let value = values.joined(separator: ",")
    return .idle((value.isEmpty ? "is empty" : "is '\(value)'") + ", so it has no effect")
  }

  private func isGiven(_ name: String) -> Bool {
    guard let value = first(name) else { return false }
    return !Self.mayBeNothing(value) || QueryParameter.row(of: name)?.value.isNothing(value) == false
  }

  /// Whether a value may count as not given, by its first byte.
  private static func mayBeNothing(_ value: String) -> Bool {
    switch value.utf8.first {
    case nil, UInt8(ascii: ","), UInt8(ascii: "u"), UInt8(ascii: "n"), UInt8(ascii: "N"): true
    case _: false
    }
  }
}
