import JSONStorage

// The errors of the source, for the program that starts a server and for the clients that write.

extension ServerError {
  /// Creates the error for a source whose text cannot be served.
  init(_ fault: SourceFault) { self.init(.sourceInvalid, fault.description, excerpt: fault.excerpt) }

  /// Creates the error for a source that cannot be opened.
  init(_ error: StorageError) {
    if let fault = error.cause as? SourceFault {
      self.init(fault)
      return
    }
    switch error.code {
    case .locked: self.init(.sourceLocked, error.message)
    case .invalidFile, .invalidDatabase: self.init(.sourceInvalid, error.message)
    case .invalidAddress: self.init(.invalidConfiguration, error.message)
    case .noSpace, .unavailable, .durabilityUnknown, .staleMount, .closed, .conflict, .forbidden, .refused:
      self.init(.sourceUnreadable, error.message)
    }
  }
}

extension RequestError {
  /// Creates the error for a write that could not be saved.
  init(_ error: StorageError) {
    switch error.code {
    case .noSpace: self.init(.noSpace, "\(error.message) Nothing was changed.")
    case .durabilityUnknown: self.init(.durabilityUnknown, error.message)
    case .invalidFile:
      let fault = (error.cause as? SourceFault).map { $0.publicDescription + "." } ?? error.message
      self.init(.unavailable, "\(fault) Correct the file and repeat the request. Nothing was changed.")
    case .unavailable, .staleMount, .locked, .closed, .invalidAddress, .invalidDatabase, .conflict, .forbidden,
      .refused:
      self.init(.unavailable, "\(error.message) Nothing was changed.")
    }
  }
}
