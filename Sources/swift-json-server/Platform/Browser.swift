/// The user's browser.
enum Browser {
  #if canImport(Darwin)
    private static let opener = "open"
  #else
    private static let opener = "xdg-open"
  #endif

  /// Opens a page, and does not wait for it; a machine without a browser is left alone.
  static func open(_ url: String) {
    // The shell ends at once, and the browser then belongs to no one here.
    let shell = ChildProcess.start(["/bin/sh", "-c", "\(opener) \"$0\" >/dev/null 2>&1 &", url])
    _ = shell?.wait()
  }
}
