extension Engine {
  /// Gives up what only this session knows about the data beside the data itself, unless it is one of the last few that
  /// have changed it: a thousand sessions with indexes of their own would cost as much as a thousand copies of the data, and
  /// a session that deletes record after record would make the indexes anew for each.
  ///
  /// - Parameter hasChanged: Whether the request has changed the data.
  func boundIndexes(hasChanged: Bool) {
    if hasChanged { hasOwnData = true }
    if hasOwnData { sessions.keepIndexes(of: self) }
  }

  /// Returns the engine of a session of the server.
  func engine(of session: SessionName) -> Engine {
    sessions.engine(of: session, on: self)
  }

  func remove(_ session: SessionName) {
    sessions.remove(session.text)
  }

  /// - Throws: 404, when requests may name no sessions.
  var allowedSessions: Sessions {
    get throws(RequestError) {
      guard configuration.hasSessions else {
        throw RequestError(.notFound, "There are no sessions here; start the server with --sessions.")
      }
      return sessions
    }
  }
}
