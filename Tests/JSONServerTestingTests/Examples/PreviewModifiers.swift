#if canImport(SwiftUI)
  import JSONServerMock
  import Observation
  import SwiftUI

  /// The model of an app.
  @Observable
  final class BookmarkList {
    let api: URL

    init(api: URL) {
      self.api = api
    }
  }

  struct ServerPreview: PreviewModifier {
    static func makeSharedContext() async throws -> MockServer {
      try await MockServer.start(["bookmarks": [["id": 1, "title": "Swift"]]])
    }

    func body(content: Content, context: MockServer) -> some View {
      content.environment(BookmarkList(api: context.url))
    }
  }
#endif
