import JSONServerValues

/// The reason why the database refuses an operation.
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
    /// The data contradicts the operation.
    case conflict
    /// The operation costs too much.
    case tooLarge
    /// The body is not a valid JSON value for the operation.
    case invalidBody
    /// The body contradicts the other records, or the rules for them.
    case contradiction
    /// A parameter of a query is invalid.
    case invalidQuery
  }

  package let code: Code

  /// A sentence for people: what is wrong, with names, and what to do.
  package let message: String
  /// The problems of the body, each with its place.
  package let problems: [Problem]

  package init(_ code: Code, _ message: String, _ problems: [Problem] = []) {
    self.code = code
    self.message = message
    self.problems = problems
  }
}
