import Observation

/// What the screen shows, and what its buttons do.
@Observable
public final class BookmarkList {
  public private(set) var bookmarks: [Bookmark] = []
  public private(set) var message: String?

  private let api: BookmarksAPI

  public init(api: BookmarksAPI) {
    self.api = api
  }

  public func load() async {
    do {
      bookmarks = try await api.bookmarks()
      message = nil
    } catch {
      message = "The bookmarks could not be loaded."
    }
  }
}
