import JSONDatabase

extension Engine {
  /// The data as it was at start, for a session: what was read of its ids and members is shared by all.
  func sharedStart() -> Database {
    writes.initial.readIDs()
    writes.initial.readLargeCollections()
    return writes.initial
  }

  /// Has the sessions that begin from now on share what was read of the ids and members of the data.
  func shareReading() {
    guard configuration.hasSessions else { return }
    var known = writes.database
    // An index that is shared would be copied as a whole with the next change.
    known.forgetIndexes()
    writes.initial.adopt(&known)
  }

  /// The data of ``sharedStart()`` without passwords, which is made once for all sessions.
  func sharedPassword() -> HiddenMember? {
    guard let signIn else { return nil }
    var password = sessions.password ?? HiddenMember(SignInState.hiddenName, of: signIn.users)
    writes.initial.reading(without: &password) { _ in }
    sessions.password = password
    return password
  }

  /// Gives up what only this session knows about the data beside the data itself, unless it is one of the last few that
  /// have changed it: a thousand sessions with indexes of their own would cost as much as a thousand copies of the data, and
  /// a session that deletes record after record would make the indexes anew for each.
  ///
  /// - Parameter hasChanged: Whether the request has changed the data.
  func boundIndexes(hasChanged: Bool) {
    if hasChanged { hasOwnData = true }
    if hasOwnData { sessions.keepIndexes(of: self) } else { forgetIndexes() }
  }

  func forgetIndexes() {
    writes.database.forgetIndexes()
    signIn?.password.forgetIndexes()
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
