import HTTPTypes

extension PreparedResponse {
  /// The page for people.
  static var page: PreparedResponse {
    page(Page.html, contentType: "text/html; charset=utf-8")
  }

  /// A file of the page; 404 when there is none of that name.
  static func asset(_ name: String) -> PreparedResponse {
    guard let (bytes, contentType) = Page.asset(named: name) else {
      return RequestError(.notFound, "The page has no file '\(name)'.").response()
    }
    return page(bytes, contentType: contentType)
  }

  private static func page(_ bytes: [UInt8], contentType: String) -> PreparedResponse {
    var fields: HTTPFields = [:]
    fields[.contentType] = contentType
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    fields[.contentSecurityPolicy] = Page.contentSecurityPolicy
    return PreparedResponse(headerFields: fields, body: .bytes(bytes))
  }
}
