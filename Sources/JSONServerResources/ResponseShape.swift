package import JSONDatabase
package import JSONServerHTTP
import JSONServerValues

/// The shape of data in responses: the selected members of records, and the wrapping.
package struct ResponseShape: Sendable {
  /// The selected members; `nil` for all.
  private let fields: FieldSelection?
  /// The member in which the data is wrapped; `nil` for none.
  private let wrapName: String?
  /// The members around a page with a cursor; `nil` for an array.
  private let pages: CursorPages?

  /// Whether responses show a part of a record.
  package var isPartial: Bool { fields != nil }

  /// - Parameters:
  ///   - wrapName: The member in which the server wraps data; `nil` for none.
  ///   - pages: The members around a page with a cursor; `nil` for an array.
  /// - Returns: `nil` when records stay as they are.
  /// - Throws: 400 for more than ``maximumFields``.
  package init?(_ parameters: QueryParameters, wrapName: String?, pages: CursorPages? = nil) throws(RequestError) {
    let asksForFields = parameters.items.contains { $0.name == "_fields" }
    guard asksForFields || wrapName != nil || pages != nil else { return nil }
    (self.wrapName, self.pages) = (wrapName, pages)
    fields = asksForFields ? try Self.fields(parameters) : nil
  }

  /// The largest number of names in `_fields`: each member of every record is compared with them.
  static let maximumFields = 100

  /// Reads `_fields=id,author.name`; the names of repeated parameters add up.
  private static func fields(_ parameters: QueryParameters) throws(RequestError) -> FieldSelection? {
    let names = parameters.all("_fields").flatMap(\.listEntries).filter { !$0.isEmpty }
    try ListParameters.check(names.count, of: "_fields", maximum: maximumFields)
    return names.isEmpty ? nil : FieldSelection(names)
  }

  /// Shapes a result, and adds unknown names to the parameters without effect.
  func apply(to result: inout EndpointResult, of endpoint: Endpoint, in database: Database) {
    // The whole data keeps the form of the file, so that it can be saved as one.
    guard let name = endpoint.resource else { return }
    (result.wrapName, result.pages) = (wrapName, pages)
    guard let fields else { return }
    result.content = result.content.selecting(fields)
    // A write has already been carried out: its names were checked before.
    guard !endpoint.isWrite, endpoint.inner == nil else { return }
    let relations = endpoint.relations.flatMap { [$0.name, String($0.name.prefix { $0 != "." })] }
    result.ignored += Self.ignored(database.unknownPaths(of: fields, in: name, relations: relations))
  }

  /// The names in `_fields` that neither the data before a write nor the write has.
  func unknownFields(of endpoint: Endpoint, in database: Database) -> [IgnoredParameter] {
    guard let fields, let name = endpoint.resource, endpoint.inner == nil else { return [] }
    return Self.ignored(
      database.unknownPaths(of: fields, in: name, relations: []).filter { path in
        !path.possibleNames.contains { endpoint.mayAdd($0) }
      })
  }

  private static func ignored(_ paths: [FieldPath]) -> [IgnoredParameter] {
    paths.map { IgnoredParameter(name: "_fields", naming: $0) }
  }
}

extension Endpoint {
  /// Whether a record may have a member after a write that no record had before.
  fileprivate func mayAdd(_ member: [UInt8]) -> Bool {
    switch action {
    case .create(let body): parent != nil || body.mayAdd(member)
    case .createOrMerge(let body), .replace(let body), .merge(let body): body.mayAdd(member)
    case .patch(let patch): patch.mayAdd(member)
    case .read, .delete: false
    }
  }
}

extension WrittenBody {
  /// Whether the body, or one of its elements, has a member.
  fileprivate func mayAdd(_ member: [UInt8]) -> Bool {
    json.elements?.contains { $0.member(member) != nil } ?? (json.member(member) != nil)
  }
}

extension EndpointResult.Content {
  /// The content with the selected members of each record.
  fileprivate func selecting(_ fields: FieldSelection) -> EndpointResult.Content {
    switch self {
    case .text(let text): return .text(fields.of(text))
    case .database, .response: return self
    case .record(var record):
      record.selection = fields
      return .record(record)
    case .list(let records): return .list(records.selecting(fields))
    case .envelope(let page, let records): return .envelope(page, records.selecting(fields))
    case .cursorPage(let records, let next): return .cursorPage(records.selecting(fields), next: next)
    }
  }
}

// `--wrap data`: records inside an object, in responses and in the bodies of clients.

extension EndpointResult {
  /// The body as an object with the content in a member.
  ///
  /// - Parameter withTotal: Whether a list has a further member with the number of matching records.
  func wrapped(as name: String, withTotal: Bool = true) -> SlicedText {
    var head = Array("{\n  ".utf8)
    let segments: [SlicedText.Segment]
    var total: Int?
    switch content {
    case .text(let text): segments = [.value(text, level: 1)]
    case .database(let text): segments = text.pretty.segments
    case .response(let response): segments = [.bytes(response.bytes)]
    case .record(let record): segments = [.value(record.joined, level: 1)]
    case .list(let records), .cursorPage(let records, _):
      segments = [.records(records, level: 1)]
      total = self.total ?? records.count
    case .envelope(let page, let records):
      // The envelope of 1.0 already has its records in a member; its page numbers stay.
      for (member, value) in page.members where member != name {
        head += "\"\(member)\": \(value.map(String.init) ?? "null"),\n  ".utf8
      }
      segments = [.records(records, level: 1)]
      total = page.total
    }
    JSONText.appendEscaped(name, to: &head)
    head += ": ".utf8
    let tail = (withTotal ? total.map { ",\n  \"total\": \($0)" } : nil) ?? ""
    return SlicedText([.bytes(head)] + segments + [.bytes(Array((tail + "\n}").utf8))])
  }
}

extension Endpoint {
  /// The same request with its unwrapped body.
  ///
  /// A body without the member stays as it is.
  ///
  /// - Parameter name: The member with the records; `nil` when clients wrap nothing.
  /// - Throws: 400, when the member does not hold records.
  package func unwrapping(_ name: String?, _ dialect: Dialect) throws(RequestError) -> Endpoint {
    guard let name, call == nil else { return self }
    if let inner {
      return Endpoint(
        target, InnerList(member: inner.member, endpoint: try inner.endpoint.unwrapping(name, dialect)))
    }
    switch (target, action) {
    case (_, .read), (_, .delete): return self
    case (.collection, .create(let body)):
      let content = try body.unwrapped(name)
      return with(parent == nil ? .creating(content, dialect) : .create(content))
    case (_, .create(let body)): return with(.create(try body.unwrapped(name)))
    case (_, .createOrMerge(let bodies)): return with(.createOrMerge(try bodies.unwrapped(name)))
    case (_, .replace(let body)): return with(.replace(try body.unwrapped(name)))
    case (_, .merge(let body)): return with(.merge(try body.unwrapped(name)))
    case (_, .patch(let patch)): return with(.patch(try patch.unwrapped(name)))
    }
  }
}

extension Patch {
  /// The same patch with the unwrapped members of a merge patch; a JSON Patch is never wrapped.
  fileprivate func unwrapped(_ name: String) throws(RequestError) -> Patch {
    guard case .merge(let patch) = self else { return self }
    return .merge(try patch.unwrapped(name, allowsArray: false) ?? patch)
  }
}

extension WrittenBody {
  /// The same body, itself or its elements unwrapped.
  ///
  /// Forms and tables, which hold texts, are never wrapped.
  ///
  /// - Throws: 400, when the member does not hold records.
  package func unwrapped(_ name: String) throws(RequestError) -> WrittenBody {
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
  /// The value of an object's only member, beside a numeric `total` as in responses; `nil` for any other value.
  ///
  /// - Throws: 400, when the value is neither an object nor, where that is allowed, an array of objects.
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
    let kind = content.kind
    let elements = allowsArray ? content.elements : nil
    guard kind == .object || elements?.allSatisfy({ $0.kind == .object }) ?? false else {
      throw RequestError(
        .malformed,
        """
        With Server.Configuration.wrapName \(name), '\(name)' in the body is the record, and must be an object; it is \
        \(kind.description). To set a member of that name, send {"\(name)": {"\(name)": …}}.
        """)
    }
    return content
  }
}
