import HTTPTypes
import JSONDatabase
import OrderedJSON

/// What a request asks the database for, parsed once.
enum Endpoint {
  /// The whole database.
  case database
  /// Records of a collection.
  case list(String, ListParameters)
  /// One record of a collection.
  case record(String, id: String, [RelationRequest])
  /// A singular resource.
  case singular(String)
  /// A new record in a collection, perhaps below a record of another.
  case create(String, body: ValidJSON, parent: (resource: String, id: String)?)
  /// Many records, each new or merged into an existing one.
  case createOrMerge(String, bodies: ValidJSON)
  /// New members for a record.
  case replace(String, id: String, body: ValidJSON)
  /// Some new members for a record.
  case merge(String, id: String, body: ValidJSON)
  /// A patch of a record, or of a singular resource when there is no id.
  case patch(String, id: String?, Patch)
  /// Some or all new members for a singular resource.
  case writeSingular(String, body: ValidJSON, merging: Bool, isPost: Bool)
  /// The deletion of a record.
  case delete(String, id: String, dependents: [String])

  /// Whether it changes the database.
  var isWrite: Bool {
    switch self {
    case .database, .list, .record, .singular: false
    case .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .delete: true
    }
  }

  /// What it changes, as a request to read that; `nil` when that is not there yet.
  var target: Endpoint? {
    switch self {
    case .replace(let name, let id, _), .merge(let name, let id, _), .delete(let name, let id, _):
      .record(name, id: id, [])
    case .patch(let name, let id, _): id.map { .record(name, id: $0, []) } ?? .singular(name)
    case .writeSingular(let name, _, _, _): .singular(name)
    case .database, .list, .record, .singular, .create, .createOrMerge: nil
    }
  }

  /// The resource whose changes can be watched instead of reading it again.
  var watchedResource: String? {
    switch self {
    case .list(let name, _), .singular(let name): name
    case .database, .record, .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .delete: nil
    }
  }

  /// The one resource that it reads; `nil` when it may be several.
  var onlyResource: String? {
    switch self {
    case .list(let name, let parameters): parameters.query.relations.isEmpty ? name : nil
    case .record(let name, _, let relations): relations.isEmpty ? name : nil
    case .singular(let name): name
    case .database, .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .delete: nil
    }
  }
}
