import HTTPTypes

extension Engine {
  /// The answer to OPTIONS, which no endpoint takes: its refusal names the methods that it does take.
  ///
  /// - Returns: `nil` for a target where nothing is.
  func methods(of request: Request, refusedWith error: HTTPError) -> Response? {
    let methods: String
    if let allowed = error.headerFields[.allow] {
      methods = allowed
    } else if request.target == "*" {
      methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    } else if isSpecial(request) {
      methods = "GET, HEAD, OPTIONS"
    } else {
      return nil
    }
    return Response(status: .noContent, headerFields: [.allow: methods])
  }

  /// Whether a GET of the target is answered with what is no resource.
  private func isSpecial(_ request: Request) -> Bool {
    var request = request
    request.method = .get
    return (try? Path(target: request.target)).flatMap { gate.special(request, $0) } != nil
  }
}
