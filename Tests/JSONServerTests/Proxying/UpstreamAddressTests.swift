import HTTPTypes
import Testing

@testable import JSONServer

@Suite struct `The address of another server` {
  @Test(arguments: [
    "", "api.example.com", "ftp://api.example.com", "https://", "https:///v2", "https://api.example.com?a=b",
    "https://api.example.com/#a", "https://user:secret@api.example.com", "https://api.example.com:99999",
    "https://api.example.com/a b", "https://a b", "http://é",
  ])
  func `is refused when no server can be there`(_ url: String) {
    #expect(throws: ServerError.self) { try UpstreamAddress(url) }
  }

  @Test(arguments: [
    ("http://localhost:3000", "http://localhost:3000"), ("HTTPS://API.example.com/v2//", "HTTPS://API.example.com/v2"),
    ("http://[::1]:80/", "http://[::1]:80"),
  ])
  func `is what targets follow`(_ url: String, _ text: String) throws {
    #expect(try UpstreamAddress(url).text == text)
  }

  @Test(arguments: [
    ("https://api.example.com/v2/posts?page=2", "http://here/posts?page=2"), ("/v2/posts", "http://here/posts"),
    ("https://api.example.com/v2", "http://here"), ("https://api.example.com/v2?a", "http://here/?a"),
    ("https://API.EXAMPLE.com:443/v2/", "http://here/"), ("https://api.example.com/v21/posts", nil), ("/posts", nil),
    ("posts", nil), ("//api.example.com/v2/posts", nil), ("http://api.example.com/v2/posts", nil),
    ("https://other.example/v2/posts", nil), ("", nil), ("https://", nil),
  ])
  func `is exchanged for ours where it leads there`(_ reference: String, _ moved: String?) throws {
    #expect(try UpstreamAddress("https://api.example.com/v2").moved(reference, to: "http://here") == moved)
  }

  @Test(arguments: [
    (
      #"<https://api.example.com/v2/p?page=2>; rel="next", <https://other.example/>; rel="a>b", </v2/q>"#,
      #"</p?page=2>; rel="next", <https://other.example/>; rel="a>b", </q>"#
    ),
    ("no link", "no link"), ("<https://api.example.com/v2/p", "<https://api.example.com/v2/p"), ("", ""),
  ])
  func `is exchanged in each link`(_ value: String, _ moved: String) throws {
    var fields: HTTPFields = [.link: value]
    try UpstreamAddress("https://api.example.com/v2").moveAddresses(in: &fields, to: "")
    #expect(fields[.link] == moved)
  }
}
