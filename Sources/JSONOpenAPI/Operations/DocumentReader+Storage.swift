import JSONDatabase
import JSONServerValues

// Finds out which operations are storage.

extension DocumentReader {
  /// A pair of paths: a list and its items, or one of them.
  private struct Pair {
    /// The segments of the list.
    let base: [String]
    let list: [String: Int]
    let item: [String: Int]
    /// The parameter of the item's path.
    let parameter: String?
    let name: String
    let singular: String

    init(base: [String], list: [String: Int], item: [String: Int] = [:], parameter: String? = nil) {
      (self.base, self.list, self.item, self.parameter) = (base, list, item, parameter)
      name = base.last ?? ""
      singular = Inflection.singular(of: name, .classic)
    }
  }

  /// Says of each operation what it is.
  mutating func classify() {
    var pairs: [Pair] = []
    for (_, segments, form, operations) in items {
      guard let last = segments.last else { continue }
      if let (before, name, after) = PathTree.parts(of: last) {
        let base = Array(segments.dropLast())
        guard before.isEmpty, after.isEmpty, let segment = base.last, PathTree.parts(of: segment) == nil,
          isObjectOrUnknown(operations["GET"])
        else { continue }
        pairs.append(
          Pair(
            base: base, list: positions[Array(form.dropLast())].map { items[$0].operations } ?? [:], item: operations,
            parameter: name))
      } else {
        if positions[form + ["{}"]] == nil { pairs.append(Pair(base: segments, list: operations)) }
      }
    }
    // The shortest paths first, so that parents are known. A pair with items tells more than a list alone.
    pairs.sort { ($0.base.count, $0.parameter == nil ? 1 : 0) < ($1.base.count, $1.parameter == nil ? 1 : 0) }
    for pair in pairs where isStored(pair) { store(pair) }
    // Items without a list of their own, and lists without a POST, belong to a collection of the same name.
    for pair in pairs where !isStored(pair) && (pair.parameter != nil || listForm(of: pair) != nil) {
      if collections.contains(where: { isSame($0, pair) }) { store(pair) }
    }
    for pair in pairs where pair.parameter == nil && isObject(pair) { storeObject(pair) }
    for index in operations.indices { finish(index) }
  }

  private var schema: JSONSchema { schemas.schema }

  private func content(_ index: Int?) -> Operation.Content? { index.flatMap { operations[$0].success?.content } }

  /// The schema of an operation's success; empty for none.
  private func result(_ index: Int?) -> [JSONSchema.ID] {
    guard let content = content(index), content.isJSON else { return [] }
    return content.schema
  }

  private func isObjectOrUnknown(_ index: Int?) -> Bool {
    let ids = result(index)
    return ids.isEmpty ? index.map { operations[$0].success?.contents.isEmpty ?? true } ?? true : schema.isObject(ids)
  }

  /// The content of a request that is read as JSON, or as a form.
  private func body(_ index: Int?) -> Operation.Content? {
    let contents = index.flatMap { operations[$0].body?.contents } ?? []
    return contents.first(where: \.isJSON) ?? contents.first { $0.type.contains("form") }
  }

  private func takesObject(_ index: Int) -> Bool {
    guard operations[index].body != nil else { return true }
    return body(index).map { $0.schema.isEmpty || schema.isObject($0.schema) } ?? false
  }

  private func isStored(_ pair: Pair) -> Bool {
    let list = listForm(of: pair)
    guard pair.parameter == nil else {
      let changes = pair.item.keys.contains { $0 != "GET" } || pair.item["GET"] != nil
      return changes && (list != nil || pair.list["POST"].map(takesObject) == true)
    }
    guard let list else { return false }
    if let post = pair.list["POST"], takesObject(post), schema.isObject(result(post)) || result(post).isEmpty {
      return true
    }
    guard pair.list["PUT"] == nil, pair.list["PATCH"] == nil, let name = list.path.last else { return false }
    return [pair.name, "data", "items", "results", "rows"].contains(name)
  }

  private func isObject(_ pair: Pair) -> Bool {
    guard let get = pair.list["GET"], case .empty = operations[get].kind else { return false }
    return !pair.base.contains { PathTree.parts(of: $0) != nil } && schema.isObject(result(get))
      && (pair.list["PUT"] ?? pair.list["PATCH"]).map(takesObject) == true
  }

  /// The way to the only list of objects in a response, and the schemas of its elements.
  private func listForm(of pair: Pair) -> (path: [String], items: [JSONSchema.ID])? {
    guard let get = pair.list["GET"] else { return nil }
    let ids = result(get)
    if ids.isEmpty { return pair.parameter != nil && content(get)?.isJSON != false ? ([], []) : nil }
    return listForm(ids)
  }

  private func listForm(_ ids: [JSONSchema.ID], depth: Int = 0) -> (path: [String], items: [JSONSchema.ID])? {
    if schema.isArray(ids) {
      let items = schema.items(of: ids)
      return items.isEmpty || schema.isObject(items) ? ([], items) : nil
    }
    guard schema.isObject(ids), depth < 2 else { return nil }
    let found = schema.properties(of: ids).compactMap { name, ids in
      listForm(ids, depth: depth + 1).map { (path: [name] + $0.path, items: $0.items) }
    }
    return found.count == 1 ? found.first : nil
  }

  /// The way to the record in a body: empty, or the member that holds one object.
  private func recordPath(_ ids: [JSONSchema.ID], _ pair: Pair) -> [String] {
    let properties = schema.properties(of: ids)
    let names = ["data", "item", "result", "record", pair.singular]
    guard !properties.contains(where: { $0.name == "id" || $0.name == pair.parameter }),
      let member = properties.first(where: { names.contains($0.name) && schema.isObject($0.ids) })
    else { return [] }
    return [member.name]
  }

  /// The schemas at the end of a way.
  private func schemas(_ ids: [JSONSchema.ID], at path: [String]) -> [JSONSchema.ID] {
    path.reduce(ids) { schema.property($1, of: $0) }
  }

  /// The schemas of a pair's records in responses and in requests.
  private func forms(of pair: Pair) -> (views: [[JSONSchema.ID]], bodies: [[JSONSchema.ID]]) {
    var views: [[JSONSchema.ID]] = []
    var bodies: [[JSONSchema.ID]] = []
    func add(_ ids: [JSONSchema.ID], to list: inout [[JSONSchema.ID]]) {
      let ids = ids.map(schema.target)
      if !ids.isEmpty, !list.contains(ids) { list.append(ids) }
    }
    for index in [pair.item["GET"], pair.item["PUT"], pair.item["PATCH"], pair.list["POST"]] {
      let ids = result(index)
      if schema.isObject(ids) { add(schemas(ids, at: recordPath(ids, pair)), to: &views) }
    }
    if let list = listForm(of: pair) { add(list.items, to: &views) }
    for index in [pair.list["POST"], pair.item["PUT"], pair.item["PATCH"]] {
      if let ids = body(index)?.schema { add(schemas(ids, at: recordPath(ids, pair)), to: &bodies) }
    }
    return (views, bodies)
  }

  private func isSame(_ collection: Collection, _ pair: Pair) -> Bool {
    guard collection.name == pair.name, !collection.isObject else { return false }
    let views = forms(of: pair).views
    return views.isEmpty || collection.views.isEmpty || views.contains(where: collection.views.contains)
  }

  // MARK: Collections

  private mutating func store(_ pair: Pair) {
    let (views, bodies) = forms(of: pair)
    let index: Int
    if let known = collections.firstIndex(where: { isSame($0, pair) }) {
      index = known
    } else {
      let isTaken = collections.contains { $0.name == pair.name }
      let name = pair.base.filter { PathTree.parts(of: $0) == nil }.joined(separator: "-")
      index = collections.count
      collections.append(Collection(name: isTaken ? name : pair.name, isObject: false))
    }
    collections[index].views += views.filter { !collections[index].views.contains($0) }
    collections[index].bodies += bodies.filter { !collections[index].bodies.contains($0) }
    if collections[index].idSchema.isEmpty { setID(of: index, pair) }
    setParent(of: index, pair)
    let list = listForm(of: pair)
    if let get = pair.list["GET"], let list { keep(get, .list, index, resultPath: list.path, pair) }
    if let post = pair.list["POST"], takesObject(post) { keep(post, .create, index, pair) }
    for (method, action) in [
      ("GET", Operation.Storage.Action.read), ("PUT", .replace), ("PATCH", .merge), ("DELETE", .delete),
    ] {
      if let operation = pair.item[method], action == .read || action == .delete || takesObject(operation) {
        keep(operation, action, index, pair)
      }
    }
    // The body of a PUT of the list's path names the record.
    if let put = pair.list["PUT"], pair.parameter != nil, takesObject(put),
      !schema.property(collections[index].idName, of: body(put)?.schema ?? []).isEmpty
    {
      keep(put, .replace, index, pair)
    }
    if let post = pair.item["POST"], operations[post].body != nil, takesObject(post), schema.isObject(result(post)) {
      keep(post, .merge, index, pair)
    }
  }

  private mutating func storeObject(_ pair: Pair) {
    let (index, ids) = (collections.count, result(pair.list["GET"]))
    let isTaken = collections.contains { $0.name == pair.name }
    var object = Collection(name: isTaken ? pair.base.joined(separator: "-") : pair.name, isObject: true)
    object.views = [schemas(ids, at: recordPath(ids, pair))]
    object.bodies = [pair.list["PUT"], pair.list["PATCH"]].compactMap { body($0)?.schema }
    collections.append(object)
    for (method, action) in [("GET", Operation.Storage.Action.read), ("PUT", .replace), ("PATCH", .merge)] {
      if let operation = pair.list[method] { keep(operation, action, index, pair) }
    }
  }

  private mutating func keep(
    _ operation: Int, _ action: Operation.Storage.Action, _ collection: Int, resultPath: [String]? = nil, _ pair: Pair
  ) {
    if case .refused = operations[operation].kind { return }
    var storage = Operation.Storage(action: action, collection: collection)
    storage.bodyPath = (body(operation)?.schema).map { recordPath($0, pair) } ?? []
    let ids = result(operation)
    if let resultPath {
      storage.resultPath = resultPath
    } else if schema.isObject(ids) || ids.isEmpty {
      let path = recordPath(ids, pair)
      // A response to DELETE is the record, or a message, which has other members.
      let shown = schema.properties(of: schemas(ids, at: path)).map(\.name)
      let isRecord =
        ids.isEmpty || action != .delete
        || shown.contains(collections[collection].idName)
          && Set(schema.properties(of: collections[collection].schemas).map(\.name)).isSuperset(of: shown)
      storage.resultPath = isRecord ? path : nil
    }
    operations[operation].kind = .stored(storage)
  }

  /// Finds the member that holds the ids.
  private mutating func setID(of index: Int, _ pair: Pair) {
    let views = collections[index].schemas
    guard let parameter = pair.parameter else {
      collections[index].idSchema = schema.property("id", of: views)
      if collections[index].idSchema.isEmpty, !views.isEmpty { collections[index].hidden.insert("id") }
      return
    }
    let properties = schema.properties(of: views)
    let names = properties.map(\.name)
    let singular = Name(pair.singular)
    let short =
      Name(parameter).text.hasPrefix(singular.text) ? String(Name(parameter).text.dropFirst(singular.text.count)) : ""
    let wanted = [Name(parameter).text, "id", short, singular.text + "id", "uuid"].filter { !$0.isEmpty }
    let path =
      [pair.item["GET"], pair.item.values.min()].lazy.compactMap(\.self).first.flatMap { item in
        operations[item].parameters.first { $0.name == parameter && $0.location == .path }?.schema
      } ?? []
    let found =
      wanted.lazy.compactMap { wanted in names.first { $0 == parameter } ?? names.first { Name($0).text == wanted } }
      .first
      ?? onlyID(collections[index].views.flatMap(\.self), parameter, path)
    collections[index].idName = found ?? "id"
    let own = found.map { schema.property($0, of: views) } ?? []
    // A number is a text in a path.
    collections[index].idSchema =
      own + (schema.isText(path) && schema.types(of: own).isDisjoint(with: .string) ? [] : path)
    if found == nil, !views.isEmpty { collections[index].hidden.insert("id") }
  }

  /// The member that could be an id by its schema: the one with the pattern of the path's parameter, else the only integer,
  /// UUID, or text that only the server writes, else one with a usual name.
  private func onlyID(_ views: [JSONSchema.ID], _ parameter: String, _ path: [JSONSchema.ID]) -> String? {
    let required = schema.required(of: views)
    let properties = schema.properties(of: views)
    if let pattern = schema.pattern(of: path),
      let same = properties.first(where: { required.contains($0.name) && schema.pattern(of: $0.ids) == pattern })
    {
      return same.name
    }
    let candidates = properties.filter { name, ids in
      if schema.isReadOnly(ids), schema.isText(ids) { return !["date-time", "date"].contains(schema.format(of: ids)) }
      return required.contains(name) && (schema.isInteger(ids) || schema.format(of: ids) == "uuid")
    }
    if candidates.count == 1 { return candidates[0].name }
    guard schema.isText(path), !Name(parameter).text.hasSuffix("id") else { return nil }
    let usual = ["code", "key", "slug", "sku", "number", "name"]
    return usual.lazy.compactMap { usual in
      properties.first { Name($0.name).text == usual && required.contains($0.name) && schema.isText($0.ids) }?.name
    }.first
  }

  // MARK: Parents

  /// The collection whose items a path names.
  private func collection(ofItem segments: [String]) -> Int? {
    guard let position = positions[Self.form(of: segments)] else { return nil }
    for operation in items[position].operations.values.sorted() {
      if let storage = operations[operation].storage, storage.isOfItem {
        return collections[storage.collection].isObject ? nil : storage.collection
      }
    }
    return nil
  }

  /// Sets the member that holds the parent's id.
  private mutating func setParent(of index: Int, _ pair: Pair) {
    for end in pair.base.indices.reversed() {
      guard let (_, parameter, _) = PathTree.parts(of: pair.base[end]) else { continue }
      let parent = collection(ofItem: Array(pair.base[...end]))
      let resource = parent.map { collections[$0].name } ?? ""
      let member = member(for: parameter, of: resource, in: index)
      if let parent, parent != index, !collections[index].parents.contains(where: { $0.collection == parent }) {
        collections[index].parents.append((parent, member))
      }
      return
    }
  }

  /// The member of a record that holds the value of a parameter in its path; a new hidden one if no schema has it.
  private mutating func member(for parameter: String, of resource: String, in index: Int) -> String {
    let names = schema.properties(of: collections[index].schemas).map(\.name).filter { $0 != collections[index].idName }
    let singular = Inflection.singular(of: resource, .classic)
    let wanted = [Name(parameter), Name(singular + "Id")].map(\.text)
    let found = wanted.lazy.compactMap { wanted in wanted == "id" ? nil : names.first { Name($0).text == wanted } }
      .first
    if let found { return found }
    let member = Name(parameter).text == "id" || parameter == collections[index].idName ? singular + "Id" : parameter
    if !collections[index].schemas.isEmpty { collections[index].hidden.insert(member) }
    return member
  }

  // MARK: The rest

  /// Sets the ancestors of an operation, and what it is if it is not stored.
  private mutating func finish(_ index: Int) {
    let segments = items[operations[index].pathIndex].segments
    let storage = operations[index].storage
    for end in segments.indices {
      guard let (_, parameter, _) = PathTree.parts(of: segments[end]),
        !(storage?.isOfItem == true && end == segments.count - 1)
      else {
        continue
      }
      if let parent = collection(ofItem: Array(segments[...end])) {
        operations[index].ancestors.append(Operation.Ancestor(parameter: parameter, collection: parent))
      } else if let storage {
        operations[index].scopes.append((parameter, member(for: parameter, of: "", in: storage.collection)))
      }
    }
    if let refusal = refusal(of: index, storage) {
      operations[index].kind = .refused(refusal)
      return
    }
    guard storage == nil, let success = operations[index].success, let content = success.content else { return }
    if case .refused = operations[index].kind { return }
    let hasExample = !content.examples.isEmpty || content.schema.contains { !schema.examples(of: [$0]).isEmpty }
    operations[index].kind = hasExample ? .example : content.schema.isEmpty ? .empty : .sample
  }

  /// The reason why an operation cannot be served.
  private mutating func refusal(of index: Int, _ storage: Operation.Storage?) -> DocumentFault? {
    func fault(_ message: String, at node: Node) -> DocumentFault { files.placed(Fault(node: node, message: message)) }
    if let storage, storage.action == .create, !collections[storage.collection].canMakeIDs(schema) {
      return fault(
        "No new ids can be made by the schema of '\(collections[storage.collection].idName)'; make it wider.",
        at: places[index])
    }
    guard let success = operations[index].success, let content = success.content else { return nil }
    if success.contents.allSatisfy({ $0.type.contains("xml") }) {
      return fault("The response is XML alone, which is not made; add 'application/json'.", at: places[index])
    }
    if let id = content.schema.first, !isSatisfiable(id) {
      return fault("No value satisfies this schema; correct it, or add an example.", at: schemas.places[id])
    }
    return nil
  }

  /// Whether some value satisfies a schema. Most are a reference alone, to one that other operations have, too.
  private mutating func isSatisfiable(_ id: JSONSchema.ID) -> Bool {
    let isReference = schemas.places[id].value.object?.names == ["$ref"]
    let key = isReference ? schema.nodes[id].reference ?? id : id
    if let isKnown = satisfiable[key] { return isKnown }
    let isSatisfiable = schema.sample([key]) != nil
    satisfiable[key] = isSatisfiable
    return isSatisfiable
  }
}

/// A name without case, dash, underscore and brackets: parameters, members and cursors are compared so.
struct Name: Hashable {
  let text: String

  init(_ name: String) {
    text = String(decoding: name.lowercased().utf8.filter { !"-_[].$ ".utf8.contains($0) }, as: UTF8.self)
  }
}

extension Collection {
  /// The next ids that could be new, from a number.
  func newID(_ number: Int, _ schema: JSONSchema) -> JSONValue? {
    if countsFromOne(schema) { return .number(JSONNumber(number)) }
    let isPlain = schema.allows(.string(Self.word(number)), by: idSchema)
    if isPlain, schema.format(of: idSchema) == nil { return .string(Self.word(number)) }
    return schema.sample(idSchema, number, .stored, isNew: true)
  }

  /// Whether the ids are the numbers 1, 2 and so on.
  func countsFromOne(_ schema: JSONSchema) -> Bool {
    idSchema.isEmpty || schema.isNumeric(idSchema) && [1, 2, 3].allSatisfy { schema.allows($0, by: idSchema) }
  }

  func canMakeIDs(_ schema: JSONSchema) -> Bool {
    let ids = [newID(1, schema), newID(2, schema)]
    return ids[0] != nil && ids[1] != nil && ids[0] != ids[1]
  }

  /// Seven letters and digits that look random, and differ for each number.
  private static func word(_ number: Int) -> String {
    let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    // An odd factor that has no divisor in common with 36 ^ 7.
    var rest = (number &* 48_271_485_577) % 78_364_164_096
    var word = ""
    for _ in 0..<7 {
      word.append(letters[rest % 36])
      rest /= 36
    }
    return word
  }
}
