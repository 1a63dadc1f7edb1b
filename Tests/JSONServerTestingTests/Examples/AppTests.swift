import JSONServerTesting

private final class BundleToken {}
private let shop = MockData.resource("shop.json", in: Bundle(for: BundleToken.self))

/// What the documentation says about the tests of an app in Xcode.
struct `Tests of an app in Xcode` {
  @Test func `A file is in the bundle of the target, not in a folder`() async throws {
    // Here no bundle has the file.
    let error = await #expect(throws: MockServerError.self) { try await MockServer.start(shop) }
    #expect(try #require(error).description.hasPrefix("There is no resource 'shop.json' in "))
  }

  @Test(.jsonServer(["bookmarks": []]))
  func `Without a cache, the journal has no 304`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let server = try MockServer.current
    for _ in 1...2 { _ = try await session.data(from: server.url.appending(path: "bookmarks")) }
    #expect(await server.requests.map(\.response?.status) == [.ok, .ok])
  }
}
