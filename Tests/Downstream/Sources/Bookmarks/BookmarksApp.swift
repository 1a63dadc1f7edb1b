import Foundation

#if canImport(SwiftUI)
  import SwiftUI
#endif

extension BookmarksAPI {
  /// The server that a UI test names, or the real one.
  public static func atLaunch() -> BookmarksAPI? {
    let address = ProcessInfo.processInfo.environment["JSON_SERVER_URL"] ?? "https://api.example.com"
    return URL(string: address).map { BookmarksAPI(baseURL: $0) }
  }
}

#if canImport(SwiftUI)
  public struct BookmarksApp: App {
    public init() {}

    public var body: some Scene {
      WindowGroup {
        if let api = BookmarksAPI.atLaunch() { BookmarkListView(list: BookmarkList(api: api)) }
      }
    }
  }
#endif
