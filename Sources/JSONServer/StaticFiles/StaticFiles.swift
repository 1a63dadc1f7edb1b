import HTTPTypes

/// Responds to requests with files below some directories.
struct StaticFiles: Sendable {
  private let directories: [StaticDirectory]

  /// The most bytes that are read at once; a larger file is streamed, and read off the event loop.
  static let maximumBytesAtOnce = 64 * 1024

  /// Creates a reader of files.
  ///
  /// - Parameters:
  ///   - directories: The directories, of which the first that has a file wins.
  ///   - privateFiles: What is never served.
  init(directories: [String], privateFiles: [PrivateFile]) {
    self.directories = directories.map { StaticDirectory($0, privateFiles: privateFiles) }
  }

  /// Responds to a request for a file.
  ///
  /// The response for a directory is its `index.html`, after a redirect when the slash at its end is missing. Ranges
  /// and conditions are those of RFC 9110. The response to HEAD has no body and the length of the file.
  ///
  /// - Returns: `nil`, when there is no such file: the request is not for this part.
  func respond(to request: Request) -> Response? {
    guard !directories.isEmpty, request.method == .get || request.method == .head,
      let path = StaticPath(target: request.target)
    else { return nil }
    for directory in directories {
      guard let found = directory.open(path.segments) else { continue }
      if found.isDirectory {
        guard let index = directory.open(path.segments + ["index.html"]), index.isRegular else { continue }
        return path.isDirectory
          ? FileResponse(index, name: "index.html").response(to: request)
          : redirect(from: request.mount.path + request.target)
      }
      guard !path.isDirectory else { continue }
      return FileResponse(found, name: path.segments.last ?? "").response(to: request)
    }
    return nil
  }

  /// Responds to a request for a page whose name was left without its extension: `/about` is `about.html`.
  ///
  /// - Returns: `nil`, when there is no such file.
  func respond(toPage request: Request) -> Response? {
    guard !directories.isEmpty, request.method == .get || request.method == .head,
      let path = StaticPath(target: request.target), !path.isDirectory, let last = path.segments.last
    else { return nil }
    let name = last + ".html"
    for directory in directories {
      guard let file = directory.open(path.segments.dropLast() + [name]), file.isRegular else { continue }
      return FileResponse(file, name: name).response(to: request)
    }
    return nil
  }

  private func redirect(from target: String) -> Response {
    let path = target.prefix { $0 != "?" }
    return Response(status: .movedPermanently, headerFields: [.location: "\(path)/\(target[path.endIndex...])"])
  }
}
