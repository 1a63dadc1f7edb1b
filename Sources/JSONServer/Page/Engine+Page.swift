import HTTPTypes

extension Engine {
  /// Where a page is when it was asked for with a slash too many or too few; `nil` for every other path.
  ///
  /// The page's files lie beside it, and a browser tells by that slash what "beside" means.
  func pageLocation(_ path: Path, _ call: RequestContext) -> String? {
    guard path.segments.isEmpty || path.segments.first == AdminRoute.root,
      call.request.method == .get || call.request.method == .head
    else { return nil }
    return switch path.segments {
    case []: !mountPath.isEmpty && call.original.path == mountPath ? mountPath + "/" : nil
    case [AdminRoute.root], [AdminRoute.root, "docs"]:
      call.request.path.hasSuffix("/") ? mountPath + "/" + path.segments.joined(separator: "/") : nil
    default: nil
    }
  }
}
