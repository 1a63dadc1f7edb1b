import Observation

/// What the screen shows, and what its buttons do.
@Observable
public final class BookmarkList {
  public private(set) var bookmarks: [Bookmark] = []
  public private(set) var isLoading = false
  public private(set) var message: String?

  private let api: BookmarksAPI

  public init(api: BookmarksAPI) {
    self.api = api
  }

  public func load() async {
    isLoading = true
    defer { isLoading = false }
    for _ in 1...2 {
      do {
        bookmarks = try await api.bookmarks()
        message = nil
        return
      } catch {
        message = "The bookmarks could not be loaded."
      }
    }
  }

  public func add(title: String) async {
    do {
      bookmarks.append(try await api.add(title: title))
      message = nil
    } catch {
      message = "'\(title)' could not be saved."
    }
  }

  public func remove(_ bookmark: Bookmark) async {
    do {
      try await api.remove(bookmark)
      bookmarks.removeAll { $0.id == bookmark.id }
      message = nil
    } catch {
      message = "'\(bookmark.title)' could not be removed."
    }
  }
}
