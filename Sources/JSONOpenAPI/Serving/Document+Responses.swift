import JSONDatabase
import JSONServerValues

extension Document {
  /// The response that refuses a request, in the form that the document gives it.
  ///
  /// - Parameter statuses: The statuses that say what is wrong; the first that the operation lists counts.
  func refusal(_ index: Int, _ statuses: [Int], _ message: String, _ problems: [Problem] = []) -> DocumentResponse {
    let operation = operations[index]
    // 404 is only for those who list it.
    let other = statuses.count > 1 && statuses[0] == 404 ? statuses[1] : statuses[0]
    var chosen = statuses.first(where: operation.lists) ?? other
    // A request that the document forbids gets another refusal of the document rather than one that it does not have.
    if operation.reply(chosen) == nil, statuses.contains(400) {
      chosen = [422, 404, 409, 403].first(where: operation.lists) ?? chosen
    }
    guard let reply = operation.reply(chosen) else { return problem(chosen, message, problems) }
    var response = DocumentResponse(status: chosen, headers: headers(of: reply, [:]), message: message)
    guard let content = reply.content else { return response }
    response.type = content.servedType
    let base = content.examples.first?.value ?? schema.sample(content.schema, isWhole: true)
    let value = base.map { schema.telling($0, by: content.schema, chosen, message, problems) }
    response.body = content.isJSON ? .json(value ?? .string(message)) : .text(message)
    return response
  }

  private func problem(_ status: Int, _ message: String, _ problems: [Problem]) -> DocumentResponse {
    let errors = problems.map { problem -> JSONValue in
      ["pointer": .string("#" + problem.pointer), "detail": .string(problem.message)]
    }
    let body: JSONValue = [
      "type": "about:blank", "status": .number(JSONNumber(status)), "detail": .string(message),
      "errors": .array(errors),
    ]
    return DocumentResponse(status: status, type: "application/problem+json", body: .json(body), message: message)
  }

  /// The response from the document alone: an example, a sample, or no body.
  func response(_ status: Int, _ reply: Operation.Reply, example name: String?) -> DocumentResponse {
    var response = DocumentResponse(status: status, headers: headers(of: reply, [:]))
    guard let content = reply.content, status != 204, status != 304 else { return response }
    let examples = content.examples.filter { name == nil || $0.name == name }.map(\.value)
    let valid = examples.first {
      name != nil || schema.allows(schema.projected($0, by: content.schema), by: content.schema, .response)
    }
    let value = valid.map { schema.projected($0, by: content.schema) } ?? schema.sample(content.schema)
    fill(&response, content, value)
    return response
  }

  func fill(_ response: inout DocumentResponse, _ content: Operation.Content, _ value: JSONValue?) {
    guard let value else { return }
    response.type = content.servedType
    response.body = content.isJSON ? .json(value) : .text(value.string ?? value.text())
  }

  /// The header fields that a response must have; those with known names have a value of their own.
  func headers(of reply: Operation.Reply, _ known: [String: String]) -> [(name: String, value: String)] {
    reply.headers.compactMap { name, isRequired, ids in
      if let value = known[Name(name).text], schema.allows(schema.value(of: value, by: ids), by: ids) {
        return (name, value)
      }
      guard isRequired || !schema.examples(of: ids).isEmpty, let value = schema.sample(ids) else { return nil }
      return (
        name,
        value.string ?? value.array.map { $0.map { $0.string ?? $0.text() }.joined(separator: ",") } ?? value.text()
      )
    }
  }
}

extension JSONSchema {
  /// An error with the sentence and the problems of a refusal, as far as the schemas have a place for them.
  func telling(_ base: JSONValue, by ids: [ID], _ status: Int, _ message: String, _ problems: [Problem]) -> JSONValue {
    guard var members = base.object else {
      let text = JSONValue.string(message)
      return isText(ids) && allows(text, by: ids, .response) ? text : base
    }
    let properties = ids.isEmpty ? members.map { ($0.name, [ID]()) } : self.properties(of: ids)
    func set(_ name: String, _ value: JSONValue) -> Bool {
      var changed = members
      changed[name] = value
      guard allows(.object(changed), by: ids, .response) else { return false }
      members = changed
      return true
    }
    func isRequired(_ name: String) -> Bool { required(of: ids).contains(name) }
    let names = ["message", "detail", "title", "error", "reason", "msg", "description", "errordescription"]
    let isTold = names.contains { wanted in
      properties.contains { name, ids in
        Name(name).text == wanted && (ids.isEmpty ? members[name]?.string != nil : isText(ids))
          && set(name, .string(message))
      }
    }
    for (name, ids) in properties where ["status", "statuscode", "code"].contains(Name(name).text) {
      if isInteger(ids) { _ = set(name, .number(JSONNumber(status))) }
      if isText(ids), Name(name).text == "status" { _ = set(name, .string(String(status))) }
    }
    let lists = properties.filter { isArray($0.1) }
    if lists.count == 1, let (name, ids) = lists.first {
      let items = items(of: ids)
      // A sentence without another place is an entry of its own.
      let told = problems.isEmpty && !isTold ? [Problem([], message)] : problems
      let entries = told.map { problem -> JSONValue in
        let place = problem.pointer
        if isText(items) { return .string(place.isEmpty ? problem.message : place + " " + problem.message) }
        guard let entry = sample(items, isWhole: true) else { return .null }
        return naming(telling(entry, by: items, status, problem.message, []), by: items, place)
      }
      // Examples of problems are none of this request.
      if entries.isEmpty, !isRequired(name) { members[name] = nil } else { _ = set(name, .array(entries)) }
    }
    if !isTold {
      for (name, ids) in properties where isObject(ids) {
        let inner = members[name] ?? sample(ids, isWhole: true) ?? .object([:])
        if set(name, telling(inner, by: ids, status, message, problems)) { break }
      }
    }
    return .object(members)
  }

  private func naming(_ entry: JSONValue, by ids: [ID], _ place: String) -> JSONValue {
    guard var members = entry.object else { return entry }
    for (name, ids) in properties(of: ids)
    where ["field", "pointer", "path", "name", "property", "param", "location"].contains(Name(name).text) {
      let value = JSONValue.string(place)
      if isText(ids), allows(value, by: ids) { members[name] = value }
    }
    return .object(members)
  }
}
