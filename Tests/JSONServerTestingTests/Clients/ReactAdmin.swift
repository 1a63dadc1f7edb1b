import JSONServerTesting

@Suite(
  .jsonServer([
    "posts": [
      ["id": 1, "title": "a", "authorId": 1], ["id": 2, "title": "c", "authorId": 2],
      ["id": 3, "title": "b", "authorId": 1],
    ],
    "authors": [["id": 1, "name": "Ada"], ["id": 2, "name": "Grace"]],
    "comments": [["id": 1, "postId": 1, "body": "x"], ["id": 2, "postId": 1, "body": "y"]],
  ]))
struct `react-admin's ra-data-json-server`: WebClient {
  let fields = ["Accept": "application/json", "Origin": "http://localhost:5173"]

  @Test func `getList pages, sorts and counts, and the page may read the count`() async throws {
    let (value, response) = try await send("GET", "/posts?_sort=title&_order=DESC&_start=0&_end=2")
    #expect(ids(value) == [2, 3])
    #expect(response.value(forHTTPHeaderField: "X-Total-Count") == "3")
    #expect(response.value(forHTTPHeaderField: "Access-Control-Expose-Headers")?.contains("X-Total-Count") == true)
  }

  @Test func `getMany asks by repeated ids, getManyReference by the key`() async throws {
    #expect(ids(try await send("GET", "/posts?id=1&id=3").value) == [1, 3])
    let target = "/comments?postId=1&_sort=id&_order=ASC&_start=0&_end=25"
    let (value, response) = try await send("GET", target)
    #expect(ids(value) == [1, 2])
    #expect(response.value(forHTTPHeaderField: "X-Total-Count") == "2")
  }

  @Test func `getOne and getList take relations along`() async throws {
    let post = try #require(try await send("GET", "/posts/1?_embed=author,comments").value as? [String: Any])
    #expect((post["author"] as? [String: Any])?["name"] as? String == "Ada")
    #expect(ids(post["comments"] ?? []) == [1, 2])
    let posts = try await send("GET", "/posts?_embed=author,comments&_start=0&_end=1").value as? [[String: Any]]
    #expect(posts?.first?["author"] != nil)
  }

  @Test func `create, update and delete respond with the record or an empty object`() async throws {
    let created = try await send("POST", "/posts", body: #"{"title": "d"}"#)
    #expect(created.response.statusCode == 201)
    #expect((created.value as? [String: Any])?["id"] as? Int == 4)
    let updated = try await send("PUT", "/posts/4", body: #"{"id": 4, "title": "e"}"#).value as? [String: Any]
    #expect(updated?["title"] as? String == "e")
    let deleted = try await send("DELETE", "/posts/4")
    #expect(deleted.response.statusCode == 200)
    #expect((deleted.value as? [String: Any])?.isEmpty == true)
  }

  @Test func `An error has a message to show`() async throws {
    let (value, response) = try await send("GET", "/posts/99")
    #expect(response.statusCode == 404)
    #expect((value as? [String: Any])?["message"] as? String == "posts has no record with id 99.")
  }
}
