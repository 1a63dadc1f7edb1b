package import HTTPTypes

/// A request that is answered with an error, in the one form that all errors have.
package struct HTTPError: Error {
  package let status: HTTPResponse.Status
  /// What is wrong and what to do, in a sentence for the person who sent the request.
  package let message: String
  /// Fields the status demands, such as `Allow` of a 405.
  package var headerFields: HTTPFields

  package init(_ status: HTTPResponse.Status, _ message: String, headerFields: HTTPFields = [:]) {
    self.status = status
    self.message = message
    self.headerFields = headerFields
  }
}
