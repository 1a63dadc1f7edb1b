/// The page for people: the data, a request to try, the request log and the server's switches; and the API's
/// documentation.
///
/// The files in `Assets` are compiled into the program, so that it stays one file. They refer to each other by relative
/// addresses and work under any path prefix: `html` where the prefix ends (`/`) or at `/__admin`, without a slash at
/// its end (see `Engine.route(_:)`), everything else beside it as `/__admin/NAME`.
enum Page {
  /// The page served at `/` and `/__admin`.
  static var html: [UInt8] { PackageResources.page_html }

  /// What a browser may load and run on these pages: their own files and the server's API, nothing inline and nothing
  /// foreign but the images that records name.
  static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: http: https:; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  private static let styleSheet = "text/css; charset=utf-8"
  private static let script = "text/javascript; charset=utf-8"

  /// Finds a file of the pages, such as `page.css`; `docs` is the documentation page.
  ///
  /// - Parameter name: What follows `/__admin/` in the path.
  /// - Returns: The file and its media type, or `nil` if no file has this name.
  static func asset(named name: String) -> (bytes: [UInt8], contentType: String)? {
    switch name {
    case "docs": (PackageResources.docs_html, "text/html; charset=utf-8")
    case "icon.svg": (PackageResources.icon_svg, "image/svg+xml")
    case "page.css": (PackageResources.page_css, styleSheet)
    case "api.js": (PackageResources.api_js, script)
    case "cells.js": (PackageResources.cells_js, script)
    case "code.js": (PackageResources.code_js, script)
    case "columns.js": (PackageResources.columns_js, script)
    case "conflict.js": (PackageResources.conflict_js, script)
    case "deletion.js": (PackageResources.deletion_js, script)
    case "docs.js": (PackageResources.docs_js, script)
    case "dom.js": (PackageResources.dom_js, script)
    case "editor.js": (PackageResources.editor_js, script)
    case "filters.js": (PackageResources.filters_js, script)
    case "health.js": (PackageResources.health_js, script)
    case "json.js": (PackageResources.json_js, script)
    case "log.js": (PackageResources.log_js, script)
    case "page.js": (PackageResources.page_js, script)
    case "palette.js": (PackageResources.palette_js, script)
    case "record.js": (PackageResources.record_js, script)
    case "records.js": (PackageResources.records_js, script)
    case "relations.js": (PackageResources.relations_js, script)
    case "request.js": (PackageResources.request_js, script)
    case "selection.js": (PackageResources.selection_js, script)
    case "server.js": (PackageResources.server_js, script)
    case "theme.js": (PackageResources.theme_js, script)
    default: nil
    }
  }
}
