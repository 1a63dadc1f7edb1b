import JSONDatabase

/// The shape in which responses show data: which members of the records, and under what name.
struct ResponseShape {
  /// What is shown of each record; `nil` for all.
  private let fields: FieldSelection?
  /// The name under which the data is in an object; `nil` for none.
  private let wrapName: String?

  /// The paths of what is shown.
  var paths: [FieldPath] { fields?.paths ?? [] }

  /// - Parameter wrapName: The name under which the server's responses hold their data; `nil` for none.
  /// - Returns: `nil` when records are shown as they are.
  /// - Throws: 400 for more than ``maximumFields``.
  init?(_ parameters: QueryParameters, wrapName: String?) throws(RequestError) {
    let asksForFields = parameters.items.contains { $0.name == "_fields" }
    guard asksForFields || wrapName != nil else { return nil }
    self.wrapName = wrapName
    fields = asksForFields ? try Self.fields(parameters) : nil
  }

  /// The most names in `_fields`: each member of every record is compared with them.
  static let maximumFields = 100

  /// `_fields=id,author.name`; the names of repeated parameters are added.
  private static func fields(_ parameters: QueryParameters) throws(RequestError) -> FieldSelection? {
    let names = parameters.all("_fields").flatMap(\.listEntries).filter { !$0.isEmpty }
    guard names.count <= maximumFields else {
      throw RequestError(.malformed, "_fields may name \(maximumFields) at most; there are \(names.count).")
    }
    return names.isEmpty ? nil : FieldSelection(names)
  }

  /// Gives a result the shape, and names what of it leads nowhere among the parameters that have no effect.
  func apply(to result: inout EndpointResult, of endpoint: Endpoint, in database: inout Database) {
    // All data has the form of the file, and is read by whoever makes one of it.
    guard let name = endpoint.resource else { return }
    result.wrapName = wrapName
    guard let fields else { return }
    result.content = result.content.selecting(fields)
    // A write is done by now: it cannot be refused for a name any more.
    guard !endpoint.isWrite else { return }
    let relations = endpoint.relations.flatMap { [$0.name, String($0.name.prefix { $0 != "." })] }
    result.ignored += database.unknownPaths(of: fields, in: name, relations: relations).map {
      IgnoredParameter(name: "_fields", reason: .idle("names '\($0.name)', a member that no record has"))
    }
  }
}

extension EndpointResult.Content {
  /// The content with what is selected of each record.
  fileprivate func selecting(_ fields: FieldSelection) -> EndpointResult.Content {
    switch self {
    case .text(let text): return .text(fields.of(text))
    case .database: return self
    case .record(var record):
      record.selection = fields
      return .record(record)
    case .list(let records): return .list(records.selecting(fields))
    case .envelope(let page, let records): return .envelope(page, records.selecting(fields))
    }
  }
}
