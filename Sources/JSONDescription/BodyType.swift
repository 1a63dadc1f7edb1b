/// The types of bodies besides JSON and patches: everything about them except how they are read.
package enum BodyType: CaseIterable, Sendable {
  case urlEncodedForm, multipartForm, csv, jsonLines

  /// A type: its names, of which messages and documents use the first; whether it is a form, whose fields are members;
  /// whether it may hold the change of a record, instead of only new records.
  package typealias Row = (names: [String], isForm: Bool, holdsChanges: Bool)

  /// What is known of the type.
  package var row: Row {
    switch self {
    case .urlEncodedForm: (["application/x-www-form-urlencoded"], isForm: true, holdsChanges: true)
    case .multipartForm: (["multipart/form-data"], isForm: true, holdsChanges: true)
    case .csv: (["text/csv"], isForm: false, holdsChanges: false)
    case .jsonLines:
      (
        ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"], isForm: false,
        holdsChanges: false
      )
    }
  }

  private static let byName = Dictionary(
    uniqueKeysWithValues: allCases.flatMap { type in type.row.names.map { ($0, type) } })

  /// Creates the type with a name in lower case; `nil` for JSON, a patch, and an unknown type.
  package init?(named name: String) {
    guard let type = Self.byName[name] else { return nil }
    self = type
  }

  /// The usual name.
  package var name: String { row.names[0] }

  /// The types that may hold the change of a record.
  package static let ofChanges = allCases.filter(\.row.holdsChanges)
}
