import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServerHTTP

@Suite struct `Request bodies` {
  struct Case: Sendable {
    let type: String?
    let body: String
    let json: String

    init(_ type: String?, _ body: String, _ json: String) {
      self.type = type
      self.body = body
      self.json = json
    }
  }

  struct Refusal: Sendable {
    let type: String?
    let body: String
    let status: HTTPResponse.Status
    /// What the message must say.
    let hint: String

    init(_ type: String?, _ body: String, _ status: HTTPResponse.Status, _ hint: String) {
      self.type = type
      self.body = body
      self.status = status
      self.hint = hint
    }
  }

  static let form = "application/x-www-form-urlencoded"
  static let multipart = "multipart/form-data; boundary=b"

  static let accepted: [Case] = [
    // JSON, kept as it was sent.
    Case("application/json", #"{"b":1.0, "a" : 1e3}"#, #"{"b":1.0, "a" : 1e3}"#),
    Case("Application/JSON; Charset=\"UTF-8\"", #"{"a":1}"#, #"{"a":1}"#),
    Case("application/problem+json", "{}", "{}"),
    Case("application/json", "\u{FEFF} {}\n", "{}"),
    Case("application/json", #"[ {"a":[1]} , {} ]"#, #"[ {"a":[1]} , {} ]"#),
    Case("application/json", "[]", "[]"),
    Case(nil, #"{"a":1}"#, #"{"a":1}"#),
    Case("text/plain", #"{"a":1}"#, #"{"a":1}"#),
    // Forms.
    Case(form, "title=Hello+World&n=1", #"{"title":"Hello World","n":"1"}"#),
    Case(form, "topping=a&size=M&topping=b", #"{"topping":["a","b"],"size":"M"}"#),
    Case(form, "topping[]=a", #"{"topping":["a"]}"#),
    Case(form, "topping%5B1%5D=a&topping%5B0%5D=b", #"{"topping":["a","b"]}"#),
    Case(form, "a%5Bb%5D=x", #"{"a[b]":"x"}"#),
    Case(form, "z=%C3%BC%2B&empty&=skipped&&", #"{"z":"ü+","empty":""}"#),
    Case(form, "a=b=c", #"{"a":"b=c"}"#),
    Case(form, "t[]=a&t=b&u=a&u[]=b&v[]=a", #"{"t":["a","b"],"u":["a","b"],"v":["a"]}"#),
    Case(multipart, "--b\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n1\r\n--b--", #"{"":"1"}"#),
    // Text that does not decode.
    Case(form, "title=50%&b%zz=%ff&c=a+%", #"{"title":"50%","b%zz":"%ff","c":"a %"}"#),
    // JSON declared as a form.
    Case(form, #"{"title":"z"}"#, #"{"title":"z"}"#),
    Case(form, "\u{FEFF}\n {\"a\":\"b=c&d\"}\r\n", #"{"a":"b=c&d"}"#),
    Case(form, #"[{"a":1},{}]"#, #"[{"a":1},{}]"#),
    Case(form, "{}", "{}"),
    Case(form, #"{"a":1}&b=2"#, #"{"{\"a\":1}":"","b":"2"}"#),
    Case(form, "[x]=1", #"{"[x]":"1"}"#),
    Case(form, "\"x\"", #"{"\"x\"":""}"#),
    Case(form, "5", #"{"5":""}"#),
    // Names that look the same and are not.
    Case(form, "\u{E9}=1&e\u{301}=2", "{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}"),
    Case("text/csv", "\u{E9},e\u{301}\n1,2\n", "[{\"\u{E9}\":1,\"e\u{301}\":2}]"),
    // Multipart.
    Case(
      multipart,
      "--b\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nHi\r\nthere\r\n--b--\r\n", #"{"t":"Hi\r\nthere"}"#),
    Case(
      "multipart/form-data; boundary=\"b\"",
      "preamble\r\n--b \r\ncontent-disposition: form-data; name=t\r\n\r\n\r\n--b\r\n"
        + "Content-Disposition: form-data; name=t\r\n\r\nx--bc\r\n--bc\r\n--b--epilogue",
      #"{"t":["","x--bc\r\n--bc"]}"#),
    Case(
      multipart,
      "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a;\\\"b\\\".txt\"\r\nContent-Type: text/plain\r\n\r\n"
        + "Hello\r\n--b--",
      #"{"f":{"filename":"a;\"b\".txt","type":"text/plain","size":5,"data":"SGVsbG8="}}"#),
    Case(
      multipart,
      "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=x\r\n\r\n\r\n--b--",
      #"{"f":{"filename":"x","type":"application/octet-stream","size":0,"data":""}}"#),
    Case(multipart, "--b--", "{}"),
    // CSV.
    Case(
      "text/csv", "id,name\r\n1,Ada\r\n2,\"Bob, \"\"B\"\"\"\r\n",
      #"[{"id":1,"name":"Ada"},{"id":2,"name":"Bob, \"B\""}]"#),
    Case(
      "text/csv", "\u{FEFF}a,b,c,d\n1.50,true,null,-0\n\"1\",01,,1 ",
      #"[{"a":1.50,"b":true,"c":null,"d":-0},{"a":"1","b":"01","d":"1 "}]"#),
    Case(
      "text/csv", #"a,b,c,"""""""# + "\n" + #""[""x"",1]","{""y"":null}","""7""","[x""# + "\n" + "\"\",,\"{}\",\n",
      #"[{"a":["x",1],"b":{"y":null},"c":"7","":"[x"},{"a":"","c":{}}]"#),
    Case("text/csv", "a;b\n1,5;\"x;y\"\n", #"[{"a":"1,5","b":"x;y"}]"#),
    Case("text/csv", "a\tb\n1\tx;y\n", #"[{"a":1,"b":"x;y"}]"#),
    Case("text/csv", "\"a;b\"\nx\n", #"[{"a;b":"x"}]"#),
    Case("text/csv", "a\n\n\"x\ny\"\n\nz", #"[{"a":"x\ny"},{"a":"z"}]"#),
    Case("text/csv; charset=utf-8", "a,b\n", "[]"),
    Case("text/csv", "\n", "[]"),
    // Lines.
    Case("application/x-ndjson", "\u{FEFF}{\"a\":1}\r\n\n {\"b\" :2} ", #"[{"a":1},{"b" :2}]"#),
    Case("application/jsonl", "\n", "[]"),
  ]

  @Test(arguments: accepted)
  func `A body becomes the JSON that its type says`(_ test: Case) throws {
    let json = try #require(try RequestBody.json(from: request(test.type, Array(test.body.utf8))))
    #expect(json.json.string == test.json)
  }

  static let refused: [Refusal] = [
    Refusal("application/json", "{\n \"a\": }", .badRequest, "2:7"),
    Refusal("application/json", " ", .badRequest, "empty"),
    Refusal("application/json", "5", .badRequest, "The body is a number"),
    Refusal("application/json", "[{}, null]", .badRequest, "Element 2 of the array in the body is null"),
    Refusal("application/json", "[{}, [{}]]", .badRequest, "Element 2"),
    Refusal("text/plain", "\"x\"", .badRequest, "a string"),
    Refusal("application/json", String(repeating: "[", count: 513), .badRequest, "512"),
    Refusal("application/json; charset=latin1", "{}", .unsupportedMediaType, "latin1"),
    Refusal("application/json; charset=utf-16", "{}}", .badRequest, "UTF-16"),
    Refusal("application/merge-patch+json", "{}", .unsupportedMediaType, "PATCH"),
    Refusal("text/plain", "hello", .unsupportedMediaType, "text/csv"),
    Refusal(nil, "hello", .unsupportedMediaType, "no Content-Type"),
    Refusal(form, #"{"title":"z",}"#, .badRequest, "1:14"),
    Refusal(form, "[1]", .badRequest, "Element 1"),
    Refusal(form, String(repeating: "[", count: 513), .badRequest, "512"),
    Refusal(form, String(repeating: "a=1&", count: 1001), .contentTooLarge, "1000"),
    Refusal("multipart/form-data", "--b--", .badRequest, "boundary"),
    Refusal(multipart, "--c--", .badRequest, "'b'"),
    Refusal(multipart, "--b\r\nContent-Disposition: form-data; name=t\r\n\r\nHi", .badRequest, "'t', does not end"),
    Refusal(multipart, "--b\r\nContent-Disposition: form-data; name=t", .badRequest, "headers of part 1"),
    Refusal(multipart, "--b\r\nContent-Disposition: form-data\r\n\r\n\r\n--b--", .badRequest, "names no field"),
    Refusal(multipart, "--b\r\nnonsense\r\n\r\n\r\n--b--", .badRequest, "colon"),
    Refusal(multipart, "--b", .badRequest, "closing"),
    Refusal("text/csv", "a,b\r\n1,2\r\n3", .badRequest, "Line 3"),
    Refusal("text/csv", "a,b\n\"x\ny\",2\n1,2,3", .badRequest, "Line 4"),
    Refusal("text/csv", "a\nx\"y", .badRequest, "Line 2"),
    Refusal("text/csv", "a\n\"x\"y", .badRequest, "Line 2"),
    Refusal("text/csv", "a\n\"x\ny", .badRequest, "line 2"),
    Refusal("text/csv", "a,\n1,2", .badRequest, "Column 2"),
    Refusal("text/csv", "a,a\n1,2", .badRequest, "'a'"),
    Refusal("application/x-ndjson", "{}\n{]\n", .badRequest, "2:2"),
    Refusal("application/x-ndjson", "{}\n\n7", .badRequest, "Line 3"),
  ]

  @Test(arguments: refused)
  func `A body that is not what its type says is refused with the place`(_ test: Refusal) {
    let error = #expect(throws: RequestError.self) {
      try RequestBody.json(from: request(test.type, Array(test.body.utf8)))
    }
    #expect(error?.status == test.status)
    #expect(error?.message.contains(test.hint) == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      ("utf-16", [0xFE, 0xFF, 0, 0x7B, 0, 0x7D]), ("utf-16", [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]),
      ("UTF-16LE", [0x7B, 0, 0x7D, 0]), ("utf-16be", [0, 0x7B, 0, 0x7D]),
    ] as [(String, [UInt8])])
  func `UTF-16 is converted`(charset: String, bytes: [UInt8]) throws {
    #expect(try RequestBody.json(from: request("application/json; charset=\(charset)", bytes))?.json.string == "{}")
  }

  @Test func `No body is none, whatever the type`() throws {
    #expect(try RequestBody.json(from: request("text/csv", []))?.json.string == nil)
  }

  @Test func `Text that is not UTF-8 is refused`() {
    for type in ["text/csv", "application/json", "application/x-ndjson", Self.form] {
      let error = #expect(throws: RequestError.self) {
        try RequestBody.json(from: request(type, [0x22, 0xFF, 0x22]))
      }
      #expect(error?.status == .badRequest)
    }
  }

  @Test func `Query parameters can stand for a body`() throws {
    let json = RequestBody.json(from: try QueryParameters(target: "/posts/1?title=x&tag=a&tag=b"))
    #expect(json?.json.string == #"{"title":"x","tag":["a","b"]}"#)
    #expect(RequestBody.json(from: try QueryParameters(target: "/posts/1"))?.json.string == nil)
  }

  private func request(_ type: String?, _ body: [UInt8]) -> Request {
    var fields = HTTPFields()
    fields[.contentType] = type
    return Request(method: .post, target: "/posts", headerFields: fields, body: body)
  }
}
