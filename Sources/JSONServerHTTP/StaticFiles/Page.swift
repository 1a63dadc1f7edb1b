import CPage
import HTTPTypes
import JSONServerValues

/// The page for people: the data, a request to try, the request log and the server's switches; and the API's
/// documentation.
///
/// The files of `Sources/CPage/Assets` are compiled into the program, so that it stays one file. They refer to each
/// other by relative addresses and work under any path prefix: `page.html` at the end of the prefix (`/`) or at
/// `/__admin`, without a slash at its end (see `Engine.route(_:)`), `docs.html` at `/__admin/docs`, all others as
/// `/__admin/FOLDER/NAME`. The folder's name depends on the content of its files, so a browser keeps them until another
/// version is served; in the HTML the folder is called `assets`.
package enum Page {
  /// What a browser may load and run on these pages: their own files and the server's API, no inline code, and from
  /// other servers only images that records name.
  fileprivate static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: http: https:; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The name of the folder, and the files by name.
  fileprivate static let (folder, assets): (String, [String: [UInt8]]) = {
    var assets: [String: [UInt8]] = [:]
    var hashes: [UInt64] = []
    var place = 0
    while case let asset = page_asset_at(place), let name = asset.name {
      let bytes = UnsafeBufferPointer(start: asset.bytes, count: asset.count)
      assets[String(cString: name)] = Array(bytes)
      hashes.append(ContentHash(of: UnsafeRawBufferPointer(bytes)).value)
      place += 1
    }
    let folder = String(hashes.withUnsafeBytes { ContentHash(of: $0).value }, radix: 36)
    // The browser loads all modules at once, before it knows which ones they import.
    let modules = assets.keys.filter { $0.hasSuffix(".js") && $0 != "page.js" && $0 != "docs.js" }.sorted()
    let links = modules.map { "<link rel=\"modulepreload\" href=\"__admin/assets/\($0)\">\n" }.joined()
    for (name, links) in [("page.html", links), ("docs.html", "")] {
      let html = String(decoding: assets[name] ?? [], as: UTF8.self).replacing("</head>", with: "\(links)</head>")
      assets[name] = Array(html.replacing("assets/", with: "\(folder)/").utf8)
    }
    return (folder, assets)
  }()

  /// Whether a path, given by its segments after `/__admin`, is that of a file beside the pages.
  package static func isAsset(_ path: ArraySlice<String>) -> Bool {
    path.count == 2 && path.first == folder && path.last.map { assets[$0] != nil } == true
  }
}

extension PreparedResponse {
  /// The page for people.
  package static var page: PreparedResponse { asset("page.html") }

  /// A file of the page; 404 for an unknown name.
  ///
  /// - Parameters:
  ///   - name: The file's name, such as `page.css`; `docs` is the documentation page.
  ///   - isKept: Whether browsers may keep the file, since a changed file has another address.
  package static func asset(_ name: String, isKept: Bool = false) -> PreparedResponse {
    let fileName = name == "docs" ? "docs.html" : name
    guard let bytes = Page.assets[fileName] else {
      return RequestError(.notFound, "The page has no file '\(name)'.").response()
    }
    let fields: HTTPFields = [
      .contentType: FileType.contentType(ofFileNamed: fileName),
      .cacheControl: isKept ? "private, max-age=31536000, immutable" : "no-cache",
      .xContentTypeOptions: "nosniff", .contentSecurityPolicy: Page.contentSecurityPolicy,
    ]
    return PreparedResponse(headerFields: fields, body: .bytes(bytes))
  }
}
