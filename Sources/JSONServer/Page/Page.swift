/// The page for people: the data, a request to try, the request log and the server's switches; and the API's
/// documentation.
///
/// The files in `Assets` are compiled into the program, so that it stays one file. They refer to each other by relative
/// addresses and work under any path prefix: `html` where the prefix ends (`/`) or at `/__admin`, without a slash at
/// its end (see `Engine.route(_:)`), everything else beside it as `/__admin/NAME`.
enum Page {
  /// A file as it is served.
  struct Asset: Sendable {
    let bytes: [UInt8]
    let contentType: String

    fileprivate init(_ bytes: [UInt8], _ contentType: String) {
      self.bytes = Page.withoutComments(bytes)
      self.contentType = contentType
    }
  }

  /// The page served at `/` and `/__admin`.
  static let html = Asset(PackageResources.page_html, "text/html; charset=utf-8")

  /// What a browser may load and run on these pages: their own files and the server's API, nothing inline and nothing
  /// foreign but the images that records name.
  static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: http: https:; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The files beside the page, by what follows `/__admin/` in the path; `docs` is the documentation page.
  static let assets: [String: Asset] = {
    let styleSheet = "text/css; charset=utf-8"
    let script = "text/javascript; charset=utf-8"
    return [
      "docs": Asset(PackageResources.docs_html, "text/html; charset=utf-8"),
      "icon.svg": Asset(PackageResources.icon_svg, "image/svg+xml"),
      "page.css": Asset(PackageResources.page_css, styleSheet),
      "docs.css": Asset(PackageResources.docs_css, styleSheet),
      "cells.js": Asset(PackageResources.cells_js, script),
      "code.js": Asset(PackageResources.code_js, script),
      "columns.js": Asset(PackageResources.columns_js, script),
      "conflict.js": Asset(PackageResources.conflict_js, script),
      "data.js": Asset(PackageResources.data_js, script),
      "deletion.js": Asset(PackageResources.deletion_js, script),
      "docs.js": Asset(PackageResources.docs_js, script),
      "dom.js": Asset(PackageResources.dom_js, script),
      "editor.js": Asset(PackageResources.editor_js, script),
      "filters.js": Asset(PackageResources.filters_js, script),
      "log.js": Asset(PackageResources.log_js, script),
      "page.js": Asset(PackageResources.page_js, script),
      "palette.js": Asset(PackageResources.palette_js, script),
      "record.js": Asset(PackageResources.record_js, script),
      "records.js": Asset(PackageResources.records_js, script),
      "request.js": Asset(PackageResources.request_js, script),
      "selection.js": Asset(PackageResources.selection_js, script),
      "server.js": Asset(PackageResources.server_js, script),
    ]
  }()

  /// A file without what only its authors read: lines of nothing but a comment, empty lines, and indentation.
  ///
  /// The files have no comments of several lines, and no texts of several lines whose indentation matters.
  private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    let space = UInt8(ascii: " ")
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = line.drop { $0 == space }
      guard !text.isEmpty, !text.starts(with: "//".utf8), !text.starts(with: "/*".utf8) else { continue }
      output += text
      output.append(UInt8(ascii: "\n"))
    }
    return output
  }
}
