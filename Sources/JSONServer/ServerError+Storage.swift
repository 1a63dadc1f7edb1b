import JSONStorage

extension ServerError {
  /// Creates the error of a source that cannot be opened.
  init(_ error: StorageError, path: String) {
    if let fault = error.cause as? SourceFault {
      self.init(.sourceInvalid, fault.description, excerpt: fault.excerpt)
      return
    }
    switch error.code {
    case .locked: self.init(.sourceLocked, error.message)
    case .invalidFile: self.init(.sourceInvalid, error.message)
    case .noSpace, .unavailable, .durabilityUnknown, .staleMount, .closed: self.init(.sourceUnreadable, error.message)
    }
  }
}
