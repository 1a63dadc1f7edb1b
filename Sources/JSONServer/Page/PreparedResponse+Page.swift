import HTTPTypes

extension PreparedResponse {
  /// The page for people.
  static var page: PreparedResponse { page(Page.html) }

  /// A file of the page; 404 when there is none of that name.
  static func asset(_ name: String) -> PreparedResponse {
    guard let asset = Page.assets[name] else {
      return RequestError(.notFound, "The page has no file '\(name)'.").response()
    }
    return page(asset)
  }

  private static func page(_ asset: Page.Asset) -> PreparedResponse {
    var fields: HTTPFields = [:]
    fields[.contentType] = asset.contentType
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    fields[.contentSecurityPolicy] = Page.contentSecurityPolicy
    return PreparedResponse(headerFields: fields, body: .bytes(asset.bytes))
  }
}
