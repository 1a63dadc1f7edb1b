import CPage
import HTTPTypes

/// The page for people: the data, a request to try, the request log and the server's switches; and the API's
/// documentation.
///
/// The files of `Sources/CPage/Assets` are compiled into the program, so that it stays one file. They refer to each other
/// by relative addresses and work under any path prefix: `page.html` where the prefix ends (`/`) or at `/__admin`, without
/// a slash at its end (see `Engine.route(_:)`), `docs.html` at `/__admin/docs`, everything else beside it as
/// `/__admin/NAME`.
enum Page {
  /// What a browser may load and run on these pages: their own files and the server's API, nothing inline and nothing
  /// foreign but the images that records name.
  fileprivate static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: http: https:; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The files by name.
  private static let assets: [String: [UInt8]] = {
    var assets: [String: [UInt8]] = [:]
    var place = 0
    while case let asset = page_asset_at(place), let name = asset.name {
      assets[String(cString: name)] = Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
      place += 1
    }
    return assets
  }()

  /// Finds a file of the pages.
  ///
  /// - Parameter name: What follows `/__admin/` in the path, such as `page.css`; `docs` is the documentation page.
  /// - Returns: The file and its content type, or `nil` if no file has this name.
  static func asset(named name: String) -> (bytes: [UInt8], contentType: String)? {
    let fileName = name == "docs" ? "docs.html" : name
    return assets[fileName].map { ($0, FileType.contentType(ofFileNamed: fileName)) }
  }
}

extension PreparedResponse {
  /// The page for people.
  static var page: PreparedResponse { asset("page.html") }

  /// A file of the page; 404 when there is none of that name.
  static func asset(_ name: String) -> PreparedResponse {
    guard let (bytes, contentType) = Page.asset(named: name) else {
      return RequestError(.notFound, "The page has no file '\(name)'.").response()
    }
    let fields: HTTPFields = [
      .contentType: contentType, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
      .contentSecurityPolicy: Page.contentSecurityPolicy,
    ]
    return PreparedResponse(headerFields: fields, body: .bytes(bytes))
  }
}
