import HTTPTypes
import JSONDatabase
import JSONStorage

extension HTTPError {
  /// Creates the response to a request that the database refuses.
  init(_ error: DatabaseError) {
    let status: HTTPResponse.Status =
      switch error.code {
      case .unknownResource, .unknownRecord, .wrongKind: .notFound
      case .idTaken: .conflict
      case .invalidBody, .invalidQuery: .badRequest
      }
    self.init(status, error.message)
  }

  /// Creates the response to a write that could not be saved.
  init(_ error: StorageError) {
    switch error.code {
    case .noSpace:
      self.init(.init(code: 507, reasonPhrase: "Insufficient Storage"), "\(error.message) Nothing was changed.")
    case .durabilityUnknown:
      self.init(.serviceUnavailable, error.message)
      durability = "unknown"
    case .unavailable, .invalidFile, .staleMount, .locked, .closed:
      self.init(.serviceUnavailable, "\(error.message) Nothing was changed.")
    }
  }
}
