#if PostgreSQL
  import JSONStorage

  extension StorageError {
    /// The same failure, with an unknown outcome if the connection was lost.
    var unsettled: StorageError { code == .unavailable ? StorageError(.durabilityUnknown, message) : self }

    /// Creates the failure of a connection.
    ///
    /// - Parameter message: libpq's message, in lines.
    init(connecting message: UnsafePointer<CChar>?, to address: DatabaseAddress) {
      let lines = (message.map { String(cString: $0) } ?? "").split(separator: "\n")
      let text = lines.map { line in
        let start = line.drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { !" .\t".contains($0) }.map { start[...$0] } ?? ""
      }.joined(separator: " ")
      let isFatal = text.contains("FATAL")
      let isAddress = ["invalid", "unrecognized", "missing"].contains { text.hasPrefix($0) }
      let isForbidden = ["does not exist", "authentication failed", "no pg_hba.conf entry", "permission denied"]
        .contains { text.contains($0) }
      let code: Code = isFatal ? (isForbidden ? .forbidden : .unavailable) : isAddress ? .invalidAddress : .unavailable
      self.init(code, "\(address.description): \(text).")
    }

    /// Creates the failure of a statement.
    ///
    /// - Parameters:
    ///   - state: PostgreSQL's code of five characters (appendix A of its manual).
    ///   - text: The first line of the database's message.
    init(state: String, _ text: String, at address: DatabaseAddress) {
      let place = "\(address.description): "
      switch state {
      case "40001", "40P01": self.init(.conflict, "\(place)\(text).")
      case "55P03":
        self.init(
          .conflict,
          "\(place)another transaction holds the lock for writing; find it in pg_stat_activity, and end it.")
      case "53100": self.init(.noSpace, "\(place)\(text).")
      case "42501":
        self.init(
          .forbidden, "\(place)\(text); grant it, or connect as the user that owns the schema '\(address.schema)'.")
      case "42P01", "42703", "42883", "42804", "42P10", "3F000":
        self.init(
          .invalidDatabase,
          "\(place)the tables of the schema '\(address.schema)' were changed (\(text)); restore them, or name another schema with ?schema=."
        )
      // Errors that end the connection. 25006: the server became a standby; the next connection finds the primary.
      case let state
      where ["08", "57P"].contains(where: state.hasPrefix) || ["53300", "25P03", "25P04", "25006"].contains(state):
        self.init(.unavailable, "\(place)\(text).")
      default: self.init(.refused, "\(place)\(text).")
      }
    }
  }
#endif
