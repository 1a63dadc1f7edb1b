import JSONServerValues

/// Why the database does not do what it is asked to do.
package struct DatabaseError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// No resource has this name.
    case unknownResource
    /// The collection has no record with this id.
    case unknownRecord
    /// The resource is a collection where a singular one is needed, or vice versa.
    case wrongKind
    /// A record with this id exists already.
    case idTaken
    /// The data is not as the operation expects it.
    case conflict
    /// The operation costs too much.
    case tooLarge
    /// A body is not the JSON value that the operation takes.
    case invalidBody
    /// A body is not as the data, or what is said about it, has it.
    case contradiction
    /// A parameter of a query is invalid.
    case invalidQuery
  }

  package let code: Code

  /// A sentence for a person: what is wrong, with names, and what to do.
  package let message: String
  /// What contradicts the data, each in its place of the body.
  package let problems: [Problem]

  package init(_ code: Code, _ message: String, _ problems: [Problem] = []) {
    self.code = code
    self.message = message
    self.problems = problems
  }

  /// Creates the error for a patch that cannot be applied.
  init(_ error: PatchError) {
    let code: Code =
      switch error.code {
      case .malformed, .tooDeep: .invalidBody
      case .conflict: .conflict
      case .tooLarge: .tooLarge
      }
    self.init(code, error.message)
  }
}
