#if PostgreSQL
  /// Why a database does not do what it was asked for.
  package struct DatabaseFailure: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: Sendable, Hashable {
      /// The address makes no sense.
      case address
      /// The database cannot be reached, or the connection was lost: it may be tried again.
      case unreachable
      /// The user may not do that.
      case rights
      /// The tables are not those of this program.
      case tables
      /// Another transaction came between: it is tried again.
      case conflict
      /// The database's disk is full.
      case noSpace
      /// Something else that the database says.
      case refused
    }

    package let code: Code
    /// A sentence for a person, with the address and what to do.
    package let message: String
    /// Whether what failed may have been carried out nevertheless.
    package private(set) var isUnsettled = false

    package init(_ code: Code, _ message: String) {
      self.code = code
      self.message = message
    }

    package var description: String { message }

    /// The same failure of what may have been carried out nevertheless, if the connection was lost.
    var unsettled: DatabaseFailure {
      var failure = self
      failure.isUnsettled = code == .unreachable
      return failure
    }

    /// Creates the failure of a statement.
    ///
    /// - Parameters:
    ///   - state: PostgreSQL's code of five characters (appendix A of its manual).
    ///   - text: What the database says, in its first line.
    init(state: String, _ text: String, at address: DatabaseAddress) {
      let place = "\(address.description): "
      switch state {
      case "40001", "40P01": self.init(.conflict, "\(place)\(text).")
      case "55P03":
        self.init(
          .conflict,
          "\(place)another transaction keeps all others from writing; find it in pg_stat_activity, and end it.")
      case "53100": self.init(.noSpace, "\(place)\(text).")
      case "42501":
        self.init(
          .rights, "\(place)\(text); grant it, or connect as the user that owns the schema '\(address.schema)'.")
      case "42P01", "42703", "42883", "42804", "42P10", "3F000":
        self.init(
          .tables,
          "\(place)the tables of the schema '\(address.schema)' were changed (\(text)); restore them, or name another schema with ?schema=."
        )
      // What ends the connection; 25006: the server became a standby, and the next connection finds the one that takes writes.
      case let state
      where ["08", "57P"].contains(where: state.hasPrefix) || ["53300", "25P03", "25P04", "25006"].contains(state):
        self.init(.unreachable, "\(place)\(text).")
      default: self.init(.refused, "\(place)\(text).")
      }
    }
  }
#endif
