import JSONDatabase
import JSONServerValues

/// What a parameter of a list does, by its name.
private enum ListRole {
  case page, size, offset, cursor, before
  /// The way to the member by which records are chosen.
  case filter([String])
  case search, sort, order

  private static let styles: [(names: Set<String>, role: ListRole)] = [
    (["page", "pagenumber", "currentpage", "pageno", "pageindex", "p"], .page),
    (["limit", "pagesize", "perpage", "size", "take", "top", "first", "pagelimit", "maxresults", "count"], .size),
    (["offset", "skip", "start", "startindex", "pageoffset"], .offset),
    (
      [
        "cursor", "after", "startingafter", "pagetoken", "nexttoken", "continuation", "marker", "pageafter",
        "pagecursor", "nextcursor", "nextpagetoken", "continuationtoken", "startafter", "sinceid",
      ], .cursor
    ),
    (["before", "endingbefore", "pagebefore"], .before),
  ]

  /// The style of pages that a name means; `nil` for none.
  static func style(of name: String) -> ListRole? { styles.first { $0.names.contains(Name(name).text) }?.role }

  var isPage: Bool {
    switch self {
    case .page, .offset, .cursor, .before: true
    case .size, .filter, .search, .sort, .order: false
    }
  }
}

/// A parameter of a list, or a member of one that is an object, as in `page[size]`.
private struct ListParameter {
  let name: String
  let schema: [JSONSchema.ID]
  /// The way to the value from the values of the query.
  let way: [String]
}

extension Document {
  private func listParameters(of operation: Operation) -> [ListParameter] {
    operation.parameters.filter { $0.location == .query }.flatMap { parameter in
      let members =
        schema.isObject(parameter.schema) && !parameter.isJSON ? schema.properties(of: parameter.schema) : []
      let isDeep = parameter.style == "deepObject"
      return members.map { name, ids in
        ListParameter(name: isDeep ? "\(parameter.name)[\(name)]" : name, schema: ids, way: [parameter.name, name])
      }
        + (members.isEmpty
          ? [ListParameter(name: parameter.name, schema: parameter.schema, way: [parameter.name])] : [])
    }
  }

  /// The ways to the members by which records are chosen and sorted: those of a member that is an object come last.
  private func ways(of collection: Collection) -> [[String]] {
    let members = schema.properties(of: collection.schemas)
    let inner = members.filter { schema.isObject($0.ids) }.flatMap { name, ids in
      schema.properties(of: ids).map { [name, $0.name] }
    }
    return members.map { [$0.name] } + inner
  }

  /// What the parameters of a list do; those without an effect are missing.
  private func roles(of operation: Operation, _ collection: Collection) -> [(parameter: ListParameter, role: ListRole)]
  {
    let ways = ways(of: collection)
    let parameters = listParameters(of: operation)
    func style(of parameter: ListParameter) -> ListRole? {
      let isOther =
        ["date", "date-time"].contains(schema.format(of: parameter.schema)) || schema.isBoolean(parameter.schema)
      return isOther ? nil : ListRole.style(of: parameter.name)
    }
    let hasPages = parameters.contains { style(of: $0)?.isPage == true }
    return parameters.compactMap { parameter in
      let name = Name(parameter.name.hasPrefix("filter[") ? String(parameter.name.dropFirst(7)) : parameter.name).text
      let way = ways.first { Name($0.last ?? "").text == name }
      if let style = style(of: parameter), way?.count != 1 || hasPages { return (parameter, style) }
      if let way { return (parameter, .filter(way)) }
      let role: ListRole? =
        switch name {
        case "q", "search": .search
        case "sort", "sortby", "orderby": .sort
        case "order", "sortorder", "direction", "sortdirection": .order
        default: nil
        }
      return role.map { (parameter, $0) }
    }
  }

  /// The names of the parameters of lists that have no effect.
  func idleParameters(of operation: Operation, _ collection: Collection) -> [String] {
    let known = Set(roles(of: operation, collection).map(\.parameter.name))
    return listParameters(of: operation).map(\.name).filter { !known.contains($0) }
  }

  fileprivate func listPlan(_ call: Call, _ collection: Collection) -> ListPlan {
    var plan = ListPlan(ways: ways(of: collection))
    for (parameter, role) in roles(of: call.operation, collection) {
      let value = parameter.way.dropFirst().reduce(call.query[parameter.way[0]]) { $0?[$1] }
      let given = value ?? schema.standard(of: parameter.schema)
      let cursor = value.map(\.plainText).flatMap { $0.isEmpty ? nil : $0 }
      switch role {
      case .page:
        plan.firstPage = min(schema.standard(of: parameter.schema)?.int ?? schema.minimum(of: parameter.schema) ?? 1, 1)
        plan.pageName = parameter.name
        plan.page = max(given?.int ?? plan.firstPage, plan.firstPage)
      case .size: plan.size = given?.int.map { max($0, 0) } ?? plan.size
      case .offset:
        plan.offsetName = parameter.name
        plan.offset = max(given?.int ?? 0, 0)
      case .cursor:
        plan.cursorName = parameter.name
        plan.cursor = cursor
      case .before: plan.before = cursor
      case .filter(let way): if let value { plan.filters.append((way, value)) }
      case .search: plan.search = value?.plainText.lowercased() ?? ""
      case .sort: plan.sort = given.map { ($0.array ?? [$0]).map(\.plainText).joined(separator: ",") } ?? plan.sort
      case .order: plan.order = given?.plainText ?? ""
      }
    }
    // An order that is a member, as in `order=name`, is what to sort by.
    let order = plan.order.lowercased()
    if plan.sort.isEmpty, !plan.order.isEmpty, !["asc", "desc", "ascending", "descending"].contains(order) {
      plan.sort = plan.order
    }
    plan.isDescending = order.hasPrefix("desc")
    return plan
  }
}

/// Which part of a list a request is for.
private struct ListPlan {
  let ways: [[String]]
  var firstPage = 1
  var pageName, offsetName, cursorName: String?
  var page: Int?
  var size: Int?
  var offset: Int?
  var cursor, before: String?
  var filters: [(way: [String], value: JSONValue)] = []
  var search = ""
  var sort = ""
  var order = ""
  var isDescending = false

  /// The records that the filters and the search include, in order.
  func chosen(_ records: [ValidJSON]) -> [ValidJSON] {
    if filters.isEmpty, search.isEmpty, sort.isEmpty { return records }
    return sorted(records.map { ($0, JSONValue($0)) }.filter { includes($0.1) }).map(\.0)
  }

  private func includes(_ record: JSONValue) -> Bool {
    filters.allSatisfy { way, value in
      let wanted = (value.array ?? [value]).map(\.plainText)
      guard let held = record.value(at: way) else { return false }
      return (held.array ?? [held]).contains { wanted.contains($0.plainText) }
    } && (search.isEmpty || record.contains(search))
  }

  private func sorted(_ records: [(ValidJSON, JSONValue)]) -> [(ValidJSON, JSONValue)] {
    let keys = sort.split(separator: ",").compactMap { part -> (way: [String], isDescending: Bool)? in
      var words = part.split { ": ".contains($0) }.map(String.init)
      guard var name = words.first else { return nil }
      var isDown = words.count > 1 && words.removeLast().lowercased().hasPrefix("desc") || isDescending
      if name.hasPrefix("-") || name.hasPrefix("+") {
        isDown = name.removeFirst() == "-"
      } else if let end = ["_desc", "_asc"].first(where: { name.lowercased().hasSuffix($0) }), !ways.contains([name]) {
        name.removeLast(end.count)
        isDown = end == "_desc"
      }
      return ways.first { Name($0.last ?? "").text == Name(name).text }.map { ($0, isDown) }
    }
    guard !keys.isEmpty else { return records }
    return records.enumerated().sorted { left, right in
      for (way, isDescending) in keys {
        let order = JSONValue.order(left.element.1.value(at: way), right.element.1.value(at: way))
        if order != 0 { return isDescending ? order > 0 : order < 0 }
      }
      return left.offset < right.offset
    }.map(\.element)
  }
}

extension JSONValue {
  /// The value at the end of a way through objects.
  fileprivate func value(at way: [String]) -> JSONValue? { way.reduce(self as JSONValue?) { $0?[$1] } }

  /// Whether a text is in some value, without case.
  fileprivate func contains(_ text: String) -> Bool {
    if let array { return array.contains { $0.contains(text) } }
    if let object { return object.contains { $0.value.contains(text) } }
    return plainText.lowercased().contains(text)
  }

  /// Below 0 when the first value comes first.
  fileprivate static func order(_ left: JSONValue?, _ right: JSONValue?) -> Int {
    if let left = left?.double, let right = right?.double { return left < right ? -1 : left > right ? 1 : 0 }
    let (left, right) = (left?.plainText ?? "", right?.plainText ?? "")
    return left < right ? -1 : left > right ? 1 : 0
  }
}

extension Call {
  /// A page of a list, in its envelope.
  func listResponse(
    _ storage: Operation.Storage, _ collection: Collection, _ all: [ValidJSON]
  ) -> DocumentResponse {
    let plan = document.listPlan(self, collection)
    let records = plan.chosen(all)
    let size = plan.size ?? records.count
    var start = plan.offset ?? 0
    if let page = plan.page {
      let (product, overflow) = (page - plan.firstPage).multipliedReportingOverflow(by: size)
      start = overflow ? records.count : product
    }
    var end: Int?
    // A schema allows cursors without a record, too: each is one behind the last record.
    func position(_ cursor: String) -> Int {
      records.firstIndex { $0.plainText(of: collection.idName) == cursor } ?? records.count
    }
    if let cursor = plan.cursor { start = position(cursor) + 1 }
    if let before = plan.before {
      let position = position(before)
      end = position
      start = plan.size.map { max(position - $0, 0) } ?? 0
    }
    start = min(start, records.count)
    let stop = min(end ?? (start + min(size, records.count - start)), records.count)
    let shown = records[start..<max(start, stop)].map { JSONValue($0) }
    let page = ListPage(
      call: self, plan: plan, total: records.count, start: start, stop: max(start, stop), size: size,
      lastID: shown.last?[collection.idName]?.plainText, firstID: shown.first?[collection.idName]?.plainText)
    return page.response(shown, storage, collection)
  }

  private struct ListPage {
    let call: Call
    let plan: ListPlan
    let total: Int
    let start: Int
    let stop: Int
    let size: Int
    let lastID: String?
    let firstID: String?

    private var document: Document { call.document }
    private var hasNext: Bool { stop < total && stop > start }
    private var pages: Int { size > 0 ? max((total + size - 1) / size, 0) : 0 }

    func response(_ shown: [JSONValue], _ storage: Operation.Storage, _ collection: Collection) -> DocumentResponse {
      guard let success = call.operation.success else {
        return DocumentResponse(status: 200, type: "application/json", body: .json(.array(shown)))
      }
      let known = [
        "xtotalcount": String(total), "xtotal": String(total), "totalcount": String(total),
        "xtotalpages": String(pages),
        "xpage": String(number), "xperpage": String(size), "xnextcursor": cursor ?? "",
        "link": hasNext ? "<\(link(to: next) ?? "")>; rel=\"next\"" : "<\(link(to: [:]) ?? "")>; rel=\"self\"",
      ]
      var response = DocumentResponse(
        status: Operation.number(of: success.status, or: 200), headers: document.headers(of: success, known))
      let way = storage.resultPath ?? []
      let items = document.schema.items(
        of: way.reduce(success.content?.schema ?? []) { document.schema.property($1, of: $0) })
      let records = JSONValue.array(
        shown.map { document.view($0, collection, items.isEmpty ? collection.views.first ?? [] : items) })
      guard let content = success.content else {
        if success.contents.isEmpty { (response.type, response.body) = ("application/json", .json(records)) }
        return response
      }
      document.fill(&response, content, document.wrapped(records, in: content.schema, way[...], value))
      return response
    }

    private var number: Int { plan.page ?? (size > 0 ? start / size + plan.firstPage : plan.firstPage) }

    private var cursor: String? { hasNext ? lastID : nil }

    /// The parameters of the next page.
    private var next: [String: String] {
      if let name = plan.pageName { return [name: String(number + 1)] }
      if let name = plan.offsetName { return [name: String(stop)] }
      if let name = plan.cursorName, let cursor { return [name: cursor] }
      return [:]
    }

    private var previous: [String: String]? {
      guard start > 0 else { return nil }
      if let name = plan.pageName { return [name: String(number - 1)] }
      if let name = plan.offsetName { return [name: String(max(start - size, 0))] }
      return nil
    }

    /// The address of the list with other parameters.
    private func link(to parameters: [String: String]?) -> String? {
      guard let parameters else { return nil }
      var query = call.request.query.filter { parameters[$0.name] == nil }
      query += parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      let text = query.map { "\($0.name.escapedSegment)=\($0.value.escapedSegment)" }.joined(separator: "&")
      return call.request.base + "/" + call.request.segments.map(\.escapedSegment).joined(separator: "/")
        + (text.isEmpty ? "" : "?" + text)
    }

    /// The value of an envelope's member by its name; `nil` for an unknown one.
    private func value(_ name: String, _ ids: [JSONSchema.ID], _ parent: String) -> JSONValue? {
      let schema = document.schema
      let own = Name(name).text
      let isLink = ["href", "url"].contains(own)
      let text = isLink ? Name(parent).text : own
      func number(_ value: Int?) -> JSONValue? {
        guard let value else { return .null }
        let candidates: [JSONValue] = [.number(JSONNumber(value)), .string(String(value))]
        return candidates.first { schema.allows($0, by: ids) }
      }
      func address(_ parameters: [String: String]?, cursor: String?, page: Int?) -> JSONValue? {
        if schema.types(of: ids).isSubset(of: [.integer, .number]) { return number(page) }
        let isAddress =
          isLink || ["uri", "uri-reference", "url"].contains(schema.format(of: ids))
          || ["links"].contains(Name(parent).text)
          || plan.cursorName == nil && !text.contains("cursor") && !text.contains("token")
        let known: JSONValue? = (isAddress ? link(to: parameters) : cursor).map(JSONValue.string)
        let candidates: [JSONValue?] = [known, JSONValue.null, ""]
        return candidates.compactMap(\.self).first { schema.allows($0, by: ids) } ?? .null
      }
      switch text {
      case "total", "totalcount", "count", "totalitems", "totalelements", "totalrecords", "totalresults", "totalhits":
        return number(total)
      case "page", "currentpage", "pagenumber", "number": return number(self.number)
      case "limit", "pagesize", "perpage", "size", "pagelimit", "itemsperpage": return number(size)
      case "offset", "skip", "startindex": return number(start)
      case "totalpages", "pages", "pagecount", "lastpage": return number(pages)
      case "returned", "itemcount", "numberofelements": return number(stop - start)
      case "hasmore", "hasnext", "hasnextpage", "more": return .bool(hasNext)
      case "hasprevious", "hasprev", "haspreviouspage", "hasprevpage": return .bool(start > 0)
      case "first" where schema.isBoolean(ids): return .bool(start == 0)
      case "last", "islast",
        "islastpage" where schema.isBoolean(ids):
        return .bool(!hasNext)
      case "next", "nextcursor", "nextpagetoken", "nextpage", "nextlink", "nexttoken", "cursor", "endcursor", "nexturl",
        "after":
        if schema.isObject(ids), hasNext { return nil }
        return address(hasNext ? next : nil, cursor: cursor, page: hasNext ? self.number + 1 : nil)
      case "previous", "prev", "previouspage", "prevpage", "prevlink", "previouscursor", "prevcursor", "previousurl",
        "before", "startcursor":
        if schema.isObject(ids), previous != nil { return nil }
        return address(previous, cursor: start > 0 ? firstID : nil, page: start > 0 ? self.number - 1 : nil)
      case "self": return schema.isObject(ids) ? nil : address([:], cursor: nil, page: nil)
      default: return nil
      }
    }
  }
}
