import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import JSONServerHTTP

@Suite struct `Static files` {
  private let directory: TemporaryDirectory
  private let files: StaticFiles

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("secret", to: "secret.txt")
    try directory.write("<h1>Home</h1>", to: "public/index.html")
    try directory.write("0123456789", to: "public/digits.txt")
    try directory.write("a b", to: "public/a b+ü.json")
    try directory.write("percent", to: "public/%2e%2e")
    try directory.write("sub", to: "public/sub/index.html")
    try directory.write("x", to: "public/bare/x.unknown")
    try directory.write("about", to: "public/about.html")
    try directory.write("deep", to: "public/sub/deep.html")
    try directory.write("first", to: "public/twice.html")
    try directory.write("known", to: "public/.well-known/assetlinks.json")
    try directory.write("hidden", to: "public/.well-known/.hidden")
    try directory.write("hidden", to: "public/sub/.well-known/x")
    try directory.write("hidden", to: "public/.hidden.html")
    try directory.write("hidden", to: "public/.env")
    try directory.write("hidden", to: "public/.git/config")
    try directory.write("{}", to: "public/database.json")
    try directory.write("[]", to: "public/data/posts.json")
    try directory.write("page", to: "public/data/page.html")
    try directory.write("{}", to: "public/data/below/1.json")
    try directory.write("second", to: "other/second.txt")
    try directory.write("second", to: "other/digits.txt")
    try directory.link("public/inside.txt", to: "sub/index.html")
    try directory.link("public/outside.txt", to: "../secret.txt")
    try directory.link("public/absolute.txt", to: "\(directory.path)/secret.txt")
    try directory.link("public/up", to: "..")
    try directory.link("public/env.txt", to: ".env")
    try directory.link("public/data.json", to: "database.json")
    try directory.link("public/loop", to: "loop")
    try FileManager.default.linkItem(
      atPath: "\(directory.path)/public/database.json", toPath: "\(directory.path)/public/hard.json")
    files = StaticFiles(
      directories: ["\(directory.path)/public", "\(directory.path)/missing", "\(directory.path)/other"],
      privateFiles: [
        .file("\(directory.path)/public/database.json"),
        .files(in: "\(directory.path)/public/data", suffixes: [".json"]),
      ])
  }

  private func answer(_ target: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get) -> Response? {
    guard let path = try? RequestTarget(target) else { return nil }
    return files.respond(to: Request(method: method, target: target, headerFields: fields), path)
  }

  @Test(arguments: [
    ("/", "<h1>Home</h1>", "text/html; charset=UTF-8"),
    ("/?x=/../y", "<h1>Home</h1>", "text/html; charset=UTF-8"),
    ("/index.html", "<h1>Home</h1>", "text/html; charset=UTF-8"),
    ("/digits.txt", "0123456789", "text/plain; charset=UTF-8"),
    ("/%64igits.txt", "0123456789", "text/plain; charset=UTF-8"),
    ("/a%20b+%C3%BC.json", "a b", "application/json; charset=UTF-8"),
    ("/%252e%252e", "percent", "application/octet-stream"),
    ("/sub/", "sub", "text/html; charset=UTF-8"),
    ("/bare/x.unknown", "x", "application/octet-stream"),
    ("/inside.txt", "sub", "text/plain; charset=UTF-8"),
    ("/second.txt", "second", "text/plain; charset=UTF-8"),
    ("/data/page.html", "page", "text/html; charset=UTF-8"),
    ("/data/below/1.json", "{}", "application/json; charset=UTF-8"),
    ("/.well-known/assetlinks.json", "known", "application/json; charset=UTF-8"),
    ("/%2ewell-known/assetlinks.json", "known", "application/json; charset=UTF-8"),
    ("/..", "<h1>Home</h1>", "text/html; charset=UTF-8"),
    ("/../", "<h1>Home</h1>", "text/html; charset=UTF-8"),
    ("/digits.txt/..", "<h1>Home</h1>", "text/html; charset=UTF-8"),
    ("/sub/../digits.txt", "0123456789", "text/plain; charset=UTF-8"),
    ("/%2e//sub/..//./digits.txt", "0123456789", "text/plain; charset=UTF-8"),
  ])
  func `A file is sent with its type`(target: String, text: String, type: String) throws {
    let response = try #require(answer(target))
    #expect(response.status == .ok)
    #expect(String(decoding: response.bytes, as: UTF8.self) == text)
    #expect(response.headerFields[.contentType] == type)
    #expect(response.headerFields[.contentLength] == "\(text.utf8.count)")
    #expect(response.headerFields[.cacheControl] == "public, max-age=0")
  }

  @Test(arguments: [
    "/../secret.txt", "/../../secret.txt", "/sub/../../secret.txt",
    "/%2e%2e/secret.txt", "/%2E%2E/secret.txt", "/.%2e/secret.txt", "/%2e./secret.txt",
    "/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt", "/..%2fsecret.txt", "/..%2Fsecret.txt",
    "/%2e%2e%2fsecret.txt", "/sub%2findex.html", "/sub%2Findex.html", "/..%252fsecret.txt", "/..\\secret.txt",
    "/..%5csecret.txt", "/..%5Csecret.txt", "/sub\\index.html", "/sub%5cindex.html", "/digits.txt%00", "/%00",
    "/digits.txt%00.html", "/digits.txt\0", "/..%00/secret.txt", "/..;/secret.txt", "/.../secret.txt",
    "/%c0%ae%c0%ae/secret.txt", "/%c0%ae%c0%ae%c0%afsecret.txt", "/%e0%80%ae%e0%80%ae/secret.txt",
    "/..%c0%afsecret.txt",
    "/%uff0e%uff0e/secret.txt", "/\u{FF0E}\u{FF0E}/secret.txt", "/%", "/%2", "/%zz", "/%2%65%2e/secret.txt",
    "//secret.txt", "//etc/passwd", "///etc/passwd", "/etc/passwd",
    "/%2fetc/passwd",
    "/.well-known", "/.well-known/", "/.well-known/.hidden", "/.well-known/../secret.txt", "/sub/.well-known/x",
    "/.well-known2/x", "/about", "/sub/deep",
    "/%2Fetc%2Fpasswd", "/file:///etc/passwd", "/C:/windows", "/C:\\windows", "/~/secret.txt", "/digits.txt/",
    "/digits.txt/.", "/digits.txt/x", "/.env", "/%2eenv", "/.git/config", "/.git/", "/sub/.hidden",
    "/env.txt", "/outside.txt", "/absolute.txt", "/up/secret.txt", "/up/", "/up", "/loop",
    "/database.json", "/data.json", "/hard.json", "/%64atabase.json", "/data/posts.json", "/data/", "/data",
    "/bare", "/bare/", "/missing", "*", "http://localhost/digits.txt",
  ])
  func `What is not a file of the directory gets no response`(target: String) {
    #expect(answer(target) == nil)
  }

  @Test(
    arguments: [
      ("/about", "about"), ("/about?x=1", "about"), ("/sub/deep", "deep"), ("/%61bout", "about"), ("/about/", nil),
      ("/about.html", nil), ("/sub", nil), ("/", nil), ("/../secret", nil), ("/.hidden", nil), ("/about%2f", nil),
      ("/.well-known/../about", "about"), ("/digits.txt", nil),
    ] as [(String, String?)])
  func `A page is found without its extension`(target: String, text: String?) throws {
    let response = files.respond(toPage: Request(method: .get, target: target), try RequestTarget(target))
    #expect(response.map { String(decoding: $0.bytes, as: UTF8.self) } == text)
    #expect(response?.headerFields[.contentType] ?? "text/html; charset=UTF-8" == "text/html; charset=UTF-8")
  }

  @Test func `Only GET and HEAD get a response`() {
    for method in [HTTPRequest.Method.post, .put, .patch, .delete, .options] {
      #expect(answer("/digits.txt", method: method) == nil)
    }
  }

  @Test func `HEAD returns the length without a body`() throws {
    let response = try #require(answer("/digits.txt", [.range: "bytes=0-1"], method: .head))
    #expect(response.status == .ok)
    #expect(response.bytes.isEmpty)
    #expect(response.headerFields[.contentLength] == "10")
  }

  @Test func `A directory without its slash is redirected, within the server`() throws {
    let response = try #require(answer("/sub?a=b"))
    #expect(response.status == .movedPermanently)
    #expect(response.headerFields[.location] == "/sub/?a=b")
  }

  @Test func `The redirect leads to where the server is mounted`() throws {
    var request = Request(method: .get, target: "/sub?a=b")
    request.mount.path = "/mock"
    #expect(files.respond(to: request, try RequestTarget(request.target))?.headerFields[.location] == "/mock/sub/?a=b")
  }

  @Test func `A version that the client has is not sent again`() throws {
    let fields = try #require(answer("/digits.txt")).headerFields
    let tag = try #require(fields[.eTag])
    let date = try #require(fields[.lastModified])
    #expect(tag.hasPrefix("W/\"a-"))
    let cases: [(HTTPFields, HTTPResponse.Status)] = [
      ([.ifNoneMatch: tag], .notModified),
      ([.ifNoneMatch: "\"x\", \(tag.dropFirst(2))"], .notModified),
      ([.ifNoneMatch: "*"], .notModified),
      ([.ifNoneMatch: "\"x\""], .ok),
      ([.ifModifiedSince: date], .notModified),
      ([.ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"], .ok),
      ([.ifModifiedSince: "yesterday"], .ok),
      ([.ifNoneMatch: "\"x\"", .ifModifiedSince: date], .ok),
    ]
    for (condition, status) in cases {
      let response = try #require(answer("/digits.txt", condition))
      #expect(response.status == status)
      if status == .notModified { #expect(response.bytes.isEmpty && response.headerFields[.eTag] == tag) }
    }
  }

  @Test(arguments: [
    ("bytes=0-3", "0123", "bytes 0-3/10"), ("bytes=5-", "56789", "bytes 5-9/10"), ("bytes=-2", "89", "bytes 8-9/10"),
    ("bytes=8-99", "89", "bytes 8-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
    ("Bytes=9-99999999999999999999", "9", "bytes 9-9/10"),
  ])
  func `The response to a range is its bytes`(range: String, text: String, contentRange: String) throws {
    let response = try #require(answer("/digits.txt", [.range: range]))
    #expect(response.status == .partialContent)
    #expect(String(decoding: response.bytes, as: UTF8.self) == text)
    #expect(response.headerFields[.contentRange] == contentRange)
  }

  @Test(arguments: ["bytes=10-", "bytes=-0", "bytes=99999999999999999999-"])
  func `A range beyond the end is refused`(range: String) throws {
    let response = try #require(answer("/digits.txt", [.range: range]))
    #expect(response.status == .rangeNotSatisfiable)
    #expect(response.headerFields[.contentRange] == "bytes */10")
  }

  @Test(arguments: ["bytes=0-1,3-4", "bytes=3-2", "bytes=", "bytes=-", "lines=0-1", "bytes=a-b", "bytes=+1-2", "x"])
  func `The response to a range that cannot be read is the whole file`(range: String) throws {
    #expect(try #require(answer("/digits.txt", [.range: range])).status == .ok)
  }

  @Test func `A range holds only for the version it was asked of`() throws {
    let fields = try #require(answer("/digits.txt")).headerFields
    let date = try #require(fields[.lastModified])
    let tag = try #require(fields[.eTag])
    #expect(answer("/digits.txt", [.range: "bytes=0-1", .ifRange: date])?.status == .partialContent)
    #expect(answer("/digits.txt", [.range: "bytes=0-1", .ifRange: tag])?.status == .ok)
    #expect(
      answer("/digits.txt", [.range: "bytes=0-1", .ifRange: "Sun, 06 Nov 1994 08:49:37 GMT"])?.status == .ok)
  }

  @Test func `A large file is streamed whole and in part`() async throws {
    let text = String(repeating: "0123456789abcdef", count: 10_000)
    try directory.write(text, to: "public/large.bin")
    for (range, expected) in [("", text[...]), ("bytes=1-150000", text.dropFirst().prefix(150_000))] {
      let response = try #require(answer("/large.bin", range.isEmpty ? [:] : [.range: range]))
      guard case .stream(let chunks, let length) = response.content else {
        Issue.record("The file was read at once.")
        continue
      }
      var received: [UInt8] = []
      for await chunk in chunks { received += chunk }
      #expect(received.elementsEqual(expected.utf8))
      #expect(length == expected.utf8.count)
    }
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"),
    (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
  ])
  func `A date is written and read in HTTP's form`(seconds: Int64, text: String) {
    #expect(HTTPDate(secondsSince1970: seconds).text == text)
    #expect(HTTPDate(text: text) == HTTPDate(secondsSince1970: seconds))
  }
}
