import Bookmarks

/// The app without a screen, for the systems whose UI tests launch it through the stand-in for `XCUIApplication`.
@main
struct Main {
  static func main() async {
    guard let api = BookmarksAPI.atLaunch() else { return }
    let list = BookmarkList(api: api)
    await list.load()
    for bookmark in list.bookmarks { print(bookmark.title) }
    if let message = list.message { print(message) }
  }
}
