package import HTTPTypes

/// A request that is answered with an error, in the one form that all errors have.
package struct HTTPError: Error {
  package let status: HTTPResponse.Status
  /// What is wrong and what to do, in a sentence for the person who sent the request.
  package let message: String
  /// Fields the status demands, such as `Allow` of a 405.
  package var headerFields: HTTPFields
  /// What is known of a write that may or may not survive a power cut; `nil` for all other errors.
  package var durability: String?

  package init(_ status: HTTPResponse.Status, _ message: String, headerFields: HTTPFields = [:]) {
    self.status = status
    self.message = message
    self.headerFields = headerFields
  }
}
