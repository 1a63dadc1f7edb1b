import JSONDatabase
import OrderedJSON

/// The shape in which responses show data: which members of the records, and under what name.
struct ResponseShape: Sendable {
  /// What is shown of each record; `nil` for all.
  private let fields: FieldSelection?
  /// The name under which the data is in an object; `nil` for none.
  private let wrapName: String?

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
    try ListParameters.check(names.count, of: "_fields", maximum: maximumFields)
    return names.isEmpty ? nil : FieldSelection(names)
  }

  /// Gives a result the shape, and names what of it leads nowhere among the parameters that have no effect.
  func apply(to result: inout EndpointResult, of endpoint: Endpoint, in database: Database) {
    // All data has the form of the file, and is read by whoever makes one of it.
    guard let name = endpoint.resource else { return }
    result.wrapName = wrapName
    guard let fields else { return }
    result.content = result.content.selecting(fields)
    // A write is done by now: it was asked before.
    guard !endpoint.isWrite else { return }
    let relations = endpoint.relations.flatMap { [$0.name, String($0.name.prefix { $0 != "." })] }
    result.ignored += Self.ignored(database.unknownPaths(of: fields, in: name, relations: relations))
  }

  /// The fields that lead nowhere in the data before a write, nor in what it writes.
  func unknownFields(of endpoint: Endpoint, in database: Database) -> [IgnoredParameter] {
    guard let fields, let name = endpoint.resource else { return [] }
    return Self.ignored(
      database.unknownPaths(of: fields, in: name, relations: []).filter { path in
        !path.possibleNames.contains { endpoint.mayAdd($0) }
      })
  }

  private static func ignored(_ paths: [FieldPath]) -> [IgnoredParameter] {
    paths.map { IgnoredParameter(name: "_fields", reason: .idle("names '\($0.name)', a member that no record has")) }
  }
}

extension Endpoint {
  /// Whether a record may have a member after a write that none had before.
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
  /// Whether the body, or an element of it, has a member.
  fileprivate func mayAdd(_ member: [UInt8]) -> Bool {
    json.elements?.contains { $0.member(member) != nil } ?? (json.member(member) != nil)
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
