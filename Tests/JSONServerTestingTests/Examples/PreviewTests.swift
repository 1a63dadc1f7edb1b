import JSONServerMock
import Testing

@Test func `A preview has a server without the Testing library`() async throws {
  let preview = try await MockServer.start(["bookmarks": []])
  try await preview.server.addFault(Fault(.post("/bookmarks"), .status(503)))
  try await preview.server.stub(Stub(.get("/me"), .json(["name": "Ada"])))
  let (data, _) = try await URLSession.shared.data(from: preview.url.appending(path: "me"))
  #expect(try JSONValue(parsing: data) == ["name": "Ada"])
  await preview.stop()
}
