import HTTPTypes
package import JSONDatabase
import JSONDescription
package import JSONServerHTTP
import JSONServerValues

/// The query of a list request, in the dialect of either json-server.
package struct ListParameters: Sendable {
  /// The form in which a page is returned.
  package enum PageForm: Sendable, Hashable {
    /// An array, with `Link` in the header (json-server 0.17).
    case array
    /// An object with the numbers of the pages around it (json-server 1.0).
    case envelope
    /// An object with the cursor of the next page.
    case cursor
  }

  package var query: Query
  /// The form of the page; `nil` for a request without pages.
  let pageForm: PageForm?
  /// What has changed; `nil` for a request for the records as they are.
  package var delta: Delta?
  /// Whether parameters with other names are filters; in 1.0 `_where` replaces them.
  let takesFilters: Bool
  /// The names of the parameters of pages with cursors, which are no filters; none for a list without such pages.
  let cursorNames: [String]

  /// Whether the request is for changes instead of records.
  package static func isWatch(_ parameters: QueryParameters) -> Bool {
    parameters.first("_watch").map { $0 != "false" && $0 != "0" } ?? false
  }

  /// Reads the parameters.
  ///
  /// - Parameter hasCursors: Whether lists come in pages with cursors where a schema names their parameters.
  /// - Throws: 400 that names the invalid parameter.
  init(_ given: QueryParameters, _ schema: Schema, hasCursors: Bool = true) throws(RequestError) {
    let dialect = schema.dialect
    let pages = hasCursors ? schema.cursorPages : nil
    cursorNames = pages.map { [$0.cursor, $0.limit] } ?? []
    var parameters = given
    if !cursorNames.isEmpty { parameters.items.removeAll { [cursorNames] in cursorNames.contains($0.name) } }
    delta = try Delta(parameters)
    var query = Query()
    query.criteria.conditions = try Self.conditions(parameters)
    takesFilters = dialect == .classic || query.criteria.conditions == nil
    if takesFilters { query.criteria.parameters = Self.filters(parameters) }
    query.criteria.search = parameters.first("q") ?? ""
    query.sort = Self.sortKeys(parameters)
    try Self.check(query.sort.count, of: "_sort")
    query.relations = try Self.relations(parameters)
    let perPage = try parameters.number("_per_page")
    let limit = try parameters.number("_limit")
    let start = try parameters.number("_start")
    let end = try parameters.number("_end")
    if let page = try parameters.number("_page") {
      // A page size that is too small means one record in json-server 1.0, and is ignored by 0.17.
      let size = perPage.map { max($0, 1) } ?? limit ?? 10
      query.window = .page(max(page, 1), size: size < 1 ? 10 : size)
      pageForm = dialect == .v1 || perPage != nil ? .envelope : .array
    } else if let pages, delta == nil, start == nil, end == nil, limit == nil {
      let cursor = given.first(pages.cursor).flatMap { $0.isEmpty ? nil : $0 }
      query.window = .after(cursor, size: max(try given.number(pages.limit) ?? pages.size, 1))
      pageForm = .cursor
    } else {
      query.window = Self.slice(start: start, end: end, limit: limit)
      pageForm = nil
    }
    self.query = query
  }

  /// The same request for the records with an id in their foreign key; this replaces a filter on the key itself.
  func below(_ id: String, by key: FieldPath) -> ListParameters {
    var nested = self
    nested.query.criteria.parent = Query.Reference(key, id)
    nested.query.criteria.parameters.removeAll { $0.name == key.name }
    return nested
  }

  private static func filters(_ parameters: QueryParameters) -> [FilterParameter] {
    var filters: [FilterParameter] = []
    for (name, value) in parameters.items where !QueryParameter.isReserved(name) {
      // Names can be equal as strings but belong to two members, such as those with é as one code point and as two.
      if let index = filters.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        filters[index].values.append(value)
      } else {
        filters.append(FilterParameter(name, [value]))
      }
    }
    return filters
  }

  /// Reads `_sort=a,b&_order=desc,asc` and `_sort=-a,b`; repeated parameters continue the first one.
  private static func sortKeys(_ parameters: QueryParameters) -> [SortKey] {
    // An empty name sorts by nothing, but keeps the other names beside their orders. It is reported as an unknown
    // member.
    let names = parameters.all("_sort").filter { !$0.isEmpty }.flatMap(\.listEntries)
    let orders = parameters.all("_order").flatMap(\.listEntries)
    return names.enumerated().map { index, name in
      let isMarked = name.hasPrefix("-")
      let isOrdered = index < orders.count && orders[index].lowercased() == "desc"
      return SortKey(FieldPath(isMarked ? String(name.dropFirst()) : name), descending: isMarked || isOrdered)
    }
  }

  /// The largest number of names in one list: each is looked up in every record, while all other requests wait.
  static let maximumNames = 32

  static func check(_ count: Int, of parameter: String, maximum: Int = maximumNames) throws(RequestError) {
    guard count > maximum else { return }
    throw RequestError(.malformed, "\(parameter) may name \(maximum) at most; there are \(count).")
  }

  /// Reads `_embed=comments,likes&_expand=user`.
  ///
  /// - Throws: 400 for more than ``maximumNames``.
  package static func relations(_ parameters: QueryParameters) throws(RequestError) -> [RelationRequest] {
    let relations = parameters.items.flatMap { name, value -> [RelationRequest] in
      switch name {
      case "_embed": value.listEntries.filter { !$0.isEmpty }.map { RelationRequest(.embed, $0) }
      case "_expand": value.listEntries.filter { !$0.isEmpty }.map { RelationRequest(.expand, $0) }
      default: []
      }
    }
    try check(relations.count, of: "_embed and _expand")
    return relations
  }

  private static func conditions(_ parameters: QueryParameters) throws(RequestError) -> JSONValue? {
    guard let text = parameters.first("_where"), !text.isEmpty else { return nil }
    do throws(JSONError) {
      return try JSONValue(parsing: text, maximumDepth: 64)
    } catch {
      throw RequestError(.malformed, "'_where' is not JSON, column \(error.column): \(error.message).")
    }
  }

  private static func slice(start: Int?, end: Int?, limit: Int?) -> Query.Window {
    if let end { return .slice(start: start ?? 0, end: end) }
    guard let limit else { return .all }
    // As JavaScript's slice(start, start + limit), which counts negative numbers from the end.
    return .slice(start: start ?? 0, end: (start ?? 0) + limit)
  }
}

extension String {
  /// The parts between the commas of a parameter's value.
  var listEntries: [String] {
    // By bytes: finding character boundaries would take longer than reading the rest of the parameter.
    utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }
}
