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

  /// The files as they are served, by name.
  private static let assets: [String: [UInt8]] = {
    var assets: [String: [UInt8]] = [:]
    var place = 0
    while case let asset = page_asset_at(place), let name = asset.name {
      let name = String(cString: name)
      assets[name] = compact(
        UnsafeBufferPointer(start: asset.bytes, count: asset.count), isStyleSheet: name.hasSuffix(".css"))
      place += 1
    }
    return assets
  }()

  /// A file without what only its authors read: lines of nothing but a comment, empty lines, indentation, and spaces at the
  /// punctuation of style sheets and imports.
  ///
  /// The files have no comments of several lines, and no texts of several lines whose indentation matters.
  private static func compact(_ bytes: UnsafeBufferPointer<UInt8>, isStyleSheet: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = line.drop { $0 == UInt8(ascii: " ") }
      guard !text.isEmpty, !text.starts(with: "//".utf8), !text.starts(with: "/*".utf8) else { continue }
      if isStyleSheet || text.starts(with: "import ".utf8) {
        appendWithoutSpaces(text, to: &output)
      } else {
        output += text
      }
      output.append(UInt8(ascii: "\n"))
    }
    return output
  }

  /// Appends a line without the spaces behind its punctuation and around its braces.
  private static func appendWithoutSpaces(_ line: some Sequence<UInt8>, to output: inout [UInt8]) {
    for byte in line {
      let isBrace = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
      if isBrace, output.last == UInt8(ascii: " ") { output.removeLast() }
      // The last declaration of a rule needs no end.
      if byte == UInt8(ascii: "}"), output.last == UInt8(ascii: ";") { output.removeLast() }
      if byte == UInt8(ascii: " "), let last = output.last, "{};:,".utf8.contains(last) { continue }
      output.append(byte)
    }
  }

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
    var fields: HTTPFields = [:]
    fields[.contentType] = contentType
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    fields[.contentSecurityPolicy] = Page.contentSecurityPolicy
    return PreparedResponse(headerFields: fields, body: .bytes(bytes))
  }
}
