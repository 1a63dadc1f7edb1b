#if PostgreSQL
  package import JSONStorage

  /// The address of a database for libpq, and the schema with the tables.
  package struct DatabaseAddress: Sendable, Hashable {
    /// The address for libpq.
    let connection: String
    /// The schema with the tables.
    package let schema: String
    /// The address in messages, without a password.
    package let description: String

    private static let schemaParameter = "schema="
    /// The longest name that PostgreSQL does not truncate.
    private static let longestName = 63

    /// Reads an address such as `postgres://app@db.example/fixtures?schema=team`.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - description: The address in messages.
    /// - Throws: ``StorageError`` when PostgreSQL does not accept the schema's name. libpq reports other errors.
    package init(_ text: String, shownAs description: String) throws(StorageError) {
      let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let parameters = parts.dropFirst().first?.split(separator: "&").map(String.init) ?? []
      let schemas = parameters.filter { $0.hasPrefix(Self.schemaParameter) }
      let name = schemas.last.map { String($0.dropFirst(Self.schemaParameter.count)) } ?? "json_server"
      let rest = parameters.filter { !$0.hasPrefix(Self.schemaParameter) }
      connection = parts[0] + (rest.isEmpty ? "" : "?\(rest.joined(separator: "&"))")
      schema = name
      self.description = description
      let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard isName, !name.isEmpty, name.utf8.count <= Self.longestName, !name.hasPrefix("pg_") else {
        throw StorageError(
          .invalidAddress,
          "\(description): '\(name)' is no name of a schema; write up to 63 letters, digits and underscores.")
      }
    }
  }
#endif
