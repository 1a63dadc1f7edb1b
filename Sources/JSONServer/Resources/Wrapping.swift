import JSONDatabase
import OrderedJSON

// `--wrap data`: records inside an object, in responses and in what clients send.

extension Server.Configuration {
  /// The name under which a client sends and gets records; `nil` for none, as for the page at `/`.
  func wrapName(for context: RequestContext) -> String? { context.isHidden ? nil : wrapName }
}

extension EndpointResult {
  /// The body as an object that holds the content under a name, and beside a list how many records match.
  func wrapped(as name: String) -> SlicedText {
    var head = Array("{\n  ".utf8)
    let segments: [SlicedText.Segment]
    var total: Int?
    switch content {
    case .text(let text): segments = [.value(text, level: 1)]
    case .database(let text): segments = text.pretty.segments
    case .record(let record): segments = [.value(record.joined, level: 1)]
    case .list(let records):
      segments = [.records(records, level: 1)]
      total = self.total ?? records.count
    case .envelope(let page, let records):
      // 1.0's object holds its records under a name already; what it says of the pages stays beside them.
      for (member, value) in page.members where member != name {
        head += "\"\(member)\": \(value.map(String.init) ?? "null"),\n  ".utf8
      }
      segments = [.records(records, level: 1)]
      total = page.total
    }
    JSONText.appendEscaped(name, to: &head)
    head += ": ".utf8
    let tail = (total.map { ",\n  \"total\": \($0)" } ?? "") + "\n}"
    return SlicedText([.bytes(head)] + segments + [.bytes(Array(tail.utf8))])
  }
}

extension Endpoint {
  /// The same request with what its body holds under the name in which responses hold records.
  ///
  /// A body without the name stays: clients send either.
  ///
  /// - Throws: 400, when there is something else than records under the name.
  func unwrapping(_ name: String, _ dialect: Dialect) throws(RequestError) -> Endpoint {
    switch (target, action) {
    case (_, .read), (_, .delete): return self
    case (.collection, .create(let body)):
      let content = try body.unwrapped(name)
      let isMany = content.json.withToken { $0.kind == .array } && parent == nil && dialect == .classic
      return with(isMany ? .createOrMerge(content) : .create(content))
    case (_, .create(let body)): return with(.create(try body.unwrapped(name)))
    case (_, .createOrMerge(let bodies)): return with(.createOrMerge(try bodies.unwrapped(name)))
    case (_, .replace(let body)): return with(.replace(try body.unwrapped(name)))
    case (_, .merge(let body)): return with(.merge(try body.unwrapped(name)))
    case (_, .patch(let patch)): return with(.patch(try patch.unwrapped(name)))
    }
  }
}

extension Patch {
  /// The same patch with the members that a merge patch holds under a name; operations have no such form.
  fileprivate func unwrapped(_ name: String) throws(RequestError) -> Patch {
    guard case .merge(let patch) = self else { return self }
    return .merge(try patch.unwrapped(name, allowsArray: false) ?? patch)
  }
}

extension WrittenBody {
  /// The same body with what it, or each element of it, holds under a name.
  ///
  /// Forms and tables, which hold texts, have no such form.
  ///
  /// - Throws: 400, when there is something else than records under the name.
  func unwrapped(_ name: String) throws(RequestError) -> WrittenBody {
    guard !isText else { return self }
    guard let elements = json.elements else {
      return try json.unwrapped(name, allowsArray: true).map { WrittenBody($0) } ?? self
    }
    var isWrapped = false
    var records: [JSONValue] = []
    for element in elements {
      let content = try element.unwrapped(name, allowsArray: false)
      if content != nil { isWrapped = true }
      records.append(JSONValue(content ?? element))
    }
    return isWrapped ? WrittenBody(ValidJSON(writing: .array(records))) : self
  }
}

extension ValidJSON {
  /// What an object holds under a name, when it has no other member, except a `total` that is a number, as in responses;
  /// `nil` for any other value.
  ///
  /// - Throws: 400, when that is neither an object nor, where it may be, an array of objects.
  fileprivate func unwrapped(_ name: String, allowsArray: Bool) throws(RequestError) -> ValidJSON? {
    let bytes = Array(name.utf8)
    let isWrapper = withToken { json in
      guard var reader = ObjectReader(json) else { return false }
      var count = 0
      while let member = reader.next() {
        if member.isNamed(bytes) {
          count += 1
        } else if !member.isNamed(Array("total".utf8)) || member.value.kind != .number {
          return false
        }
      }
      return count == 1
    }
    guard isWrapper, let content = member(bytes) else { return nil }
    let kind = content.withToken { $0.kind }
    let elements = allowsArray ? content.elements : nil
    guard kind == .object || elements?.allSatisfy({ $0.withToken { $0.kind == .object } }) ?? false else {
      throw RequestError(
        .malformed,
        """
        With --wrap \(name) the body's '\(name)' holds the record, an object; it is \(kind.description). A member of the \
        record that is called so goes inside, as in {"\(name)": {"\(name)": …}}.
        """)
    }
    return content
  }
}
