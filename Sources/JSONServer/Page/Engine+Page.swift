import HTTPTypes

extension Engine {
  /// Where a page is when it was asked for with a slash too many or too few; `nil` for every other path.
  ///
  /// The page's files lie beside it, and a browser tells by that slash what "beside" means.
  func pageLocation(_ path: Path, _ call: Call) -> String? {
    guard call.request.method == .get || call.request.method == .head else { return nil }
    let (asked, read) = (call.original.target.prefix { $0 != "?" }, call.request.target.prefix { $0 != "?" })
    return switch path.segments {
    case []: !mountPath.isEmpty && asked == mountPath ? mountPath + "/" : nil
    case [AdminRoute.root], [AdminRoute.root, "docs"]:
      read.hasSuffix("/") ? mountPath + "/" + path.segments.joined(separator: "/") : nil
    default: nil
    }
  }
}
