import SwiftUI

public struct BookmarkListView: View {
  @State private var list: BookmarkList

  public init(list: BookmarkList) {
    _list = State(initialValue: list)
  }

  public var body: some View {
    List(list.bookmarks) { bookmark in
      Text(bookmark.title)
    }
    .overlay {
      if let message = list.message { Text(message) }
    }
    .task { await list.load() }
  }
}
