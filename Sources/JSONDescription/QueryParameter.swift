/// The parameters of queries that are never filters: everything about them except how they are read.
package enum QueryParameter {
  /// The type of a value.
  package enum Value: Sendable {
    case text, number
    /// Members to show.
    case fields
    /// The names of relations.
    case relations

    /// Whether a value counts as not given: it is empty, or a script's text for a missing number.
    package func isNothing(_ value: String) -> Bool {
      switch self {
      case .number: value.isEmpty || value == "undefined" || value == "null" || value == "NaN"
      case .fields: value.utf8.allSatisfy { $0 == UInt8(ascii: ",") }
      case .text, .relations: value.isEmpty
      }
    }
  }

  /// A kind of request, by the parameters that it takes.
  package enum Taker: Int, CaseIterable, Sendable {
    case allData, list, listBelowRecord, record, object, watch
    case write, deletion, changeOfMany, deletionOfMany
    /// A replacement or a change with the members in the query, since there is no body.
    case writeByQuery
  }

  /// A parameter: its name; its name among the components of an OpenAPI document, where it means the same for every
  /// resource; the type of its value; the requests that use it; its names in other servers, in lower case and without
  /// `_` and `-`; its description.
  package typealias Row = (
    name: String, component: String?, value: Value, takers: Set<Taker>, synonyms: [String], description: String
  )

  private static let lists: Set<Taker> = [.list, .listBelowRecord]
  private static let changesOfMany: Set<Taker> = [.changeOfMany, .deletionOfMany]
  /// The requests that use what selects records.
  private static let selections = lists.union(changesOfMany)
  private static let all = Set(Taker.allCases)
  /// The requests that also use any other name, as a filter or as a member.
  private static let takersOfOtherNames = selections.union([.writeByQuery])

  /// The parameters, in the order of documents.
  package static let table: [Row] = [
    ("_page", "page", .number, lists, [], "The number of the page, from 1. `Link` has the addresses of other pages."),
    (
      "_per_page", "perPage", .number, lists, [],
      "With `_page`: the size of a page. The response is an object with the numbers of other pages."
    ),
    (
      "_limit", "limit", .number, lists, ["pagesize", "size", "take", "top"],
      "The maximum number of records; 10 with only `_page`."
    ),
    (
      "_start", "start", .number, lists, ["skip", "offset"],
      "The position of the first record, from 0; a negative one counts from the end."
    ),
    (
      "_since", "since", .text, lists, ["updatedsince", "changedsince", "modifiedsince"],
      "What has changed since the token of the last response, `X-Next-Since`; empty for all records and the first token. A deleted record is `{\"id\": 7, \"_deleted\": true}`."
    ),
    ("_end", "end", .number, lists, [], "The position after the last record; a negative one counts from the end."),
    (
      "_sort", "sort", .text, lists, ["orderby", "sortby"],
      "The members to sort by, separated by commas; `-` before a member sorts descending."
    ),
    (
      "_order", "order", .text, lists, ["direction"],
      "`asc` or `desc` for each member of `_sort`, separated by commas."
    ),
    (
      "q", "search", .text, selections, ["search", "query"],
      "Only records in which a value at any depth contains this text, ignoring case."
    ),
    (
      "_where", "where", .text, selections, ["filter"],
      "A tree of conditions as JSON: `{\"or\": [{\"id\": {\"gt\": 3}}, {\"title\": {\"eq\": \"a\"}}]}`."
    ),
    (
      "_fields", "fields", .fields, all.subtracting([.allData, .watch]), [],
      "The only members to return, separated by commas; `author.name` is a nested member."
    ),
    ("_all", "all", .text, changesOfMany, [], "`true` changes all records, without a filter."),
    (
      "_embed", nil, .relations, lists.union([.record]), ["include"],
      "The related collections to embed in each record, separated by commas."
    ),
    (
      "_expand", nil, .relations, lists.union([.record]), ["populate"],
      "The referenced records to embed in each record, separated by commas."
    ),
    (
      "_dependent", nil, .text, [.deletion, .deletionOfMany], [],
      "The collections whose lists of ids lose the deleted ids, separated by commas. With `--compat v1` their dependent records are also deleted."
    ),
    (
      "_watch", nil, .text, [.list, .object, .watch], [],
      "Streams changes instead of the data, unless it is `false` or `0`."
    ),
    ("_delay", nil, .number, all, [], "The delay of the response in milliseconds, a minute at most."),
    ("callback", nil, .text, all.subtracting([.watch]), [], "The function that the response calls (JSONP)."),
    ("_", nil, .text, all, [], "Ignored. Some scripts add it to avoid caches."),
  ]

  /// The cases in which a parameter has no effect: without one of some others, or beside one of some, in the order in
  /// which they are reported.
  package static let rules: [(name: String, without: [String], beside: [String], reason: String)] = [
    ("_per_page", ["_page"], [], "has no effect without '_page', as in _page=1"),
    ("_order", ["_sort"], [], "has no effect without '_sort', which names the member"),
    ("_start", [], ["_page"], "has no effect beside '_page'"),
    ("_end", [], ["_page"], "has no effect beside '_page'"),
    ("_limit", [], ["_page", "_per_page"], "has no effect beside '_per_page'"),
    ("_start", ["_end", "_limit", "_page"], [], "has no effect without '_end' or '_limit'"),
  ]

  /// The names of the parameters that select records, as filters do.
  package static let selecting = table.filter { $0.takers == selections }.map(\.name)

  /// The names of the parameters.
  package static let names = Set(table.map(\.name))

  /// The row of a parameter; `nil` for an unknown name.
  package static func row(of name: String) -> Row? { table.first { $0.name == name } }

  /// Whether a name is never a filter.
  package static func isReserved(_ name: String) -> Bool {
    // Most filters begin with another character, and hashing a name costs ten times as much.
    switch name.utf8.first {
    case UInt8(ascii: "_"), UInt8(ascii: "q"), UInt8(ascii: "c"): names.contains(name)
    case _: false
    }
  }

  /// For each kind of request, whether it uses most names, and the exceptions: they are few, and comparing them is
  /// faster than hashing one.
  private static let taken = Taker.allCases.map { taker in
    let isMost = takersOfOtherNames.contains(taker)
    return (isMost: isMost, exceptions: table.filter { $0.takers.contains(taker) != isMost }.map(\.name))
  }

  /// Whether a request uses a parameter of any name.
  package static func isTaken(_ name: String, by taker: Taker) -> Bool {
    let (isMost, exceptions) = taken[taker.rawValue]
    return exceptions.contains(name) != isMost
  }
}
