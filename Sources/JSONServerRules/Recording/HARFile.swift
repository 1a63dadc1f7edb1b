import HTTPTypes
package import JSONServerHTTP
import JSONServerValues

/// The exchanges of an HTTP archive (HAR 1.2), which browsers save.
package struct HARFile: Sendable {
  package struct Exchange: Sendable {
    /// The address of the server, such as `https://api.example.com`.
    package let origin: String
    package let request: Request
    /// The response, with an uncompressed body.
    package let response: Response
  }

  /// The exchanges in the order of their requests. Web sockets, preflights (to which this server responds itself) and
  /// incomplete exchanges are left out: those that failed, were blocked, came from a cache, or were saved without their
  /// body.
  package let exchanges: [Exchange]

  /// Reads a document; `nil` when it is not an archive.
  init?(_ document: JSONValue) {
    guard let entries = document["log"]?["entries"]?.array else { return nil }
    let times = entries.enumerated().map { ($0.element["startedDateTime"]?.string ?? "", $0.offset) }
    exchanges = times.sorted { $0 < $1 }.compactMap { Exchange(entries[$0.1]) }
  }

  /// Reads the text of a file.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid` that names the file, and the line and column of an error.
  package init(parsing text: [UInt8], name: String) throws(ServerError) {
    let file: HARFile?
    do throws(JSONError) {
      file = HARFile(try JSONValue(parsing: text))
    } catch {
      throw ServerError(
        .sourceInvalid, "\(name):\(error.description)", excerpt: Excerpt(of: text, at: error.offset).text)
    }
    guard let file else {
      throw ServerError(
        .sourceInvalid, "\(name): this is not an HTTP archive (HAR), which a browser's network panel saves.")
    }
    self = file
  }

  /// The exchanges as stubs without secrets, for requests that nothing else responds to.
  var stubs: [Rule] {
    get throws(RequestError) {
      var recording = StubRecording()
      var files = BodyFiles(directory: nil)
      for exchange in exchanges {
        guard let address = try? UpstreamAddress(exchange.origin),
          let stub = try? RecordedStub(exchange.request, exchange.response, from: address, filePrefix: "body")
        else { continue }
        if let file = stub.bodyFile { files.contents[file.name] = file.content }
        recording.add(stub)
      }
      return try recording.stubs.map { stub throws(RequestError) in
        var rule = try Rule(.stub, StrictObject(stub), files: files)
        rule.yieldsToData = true
        return rule
      }
    }
  }
}

extension HARFile.Exchange {
  fileprivate init?(_ entry: JSONValue) {
    guard let request = entry["request"], let response = entry["response"], let url = request["url"]?.string,
      let method = HTTPRequest.Method(request["method"]?.string?.uppercased() ?? ""),
      ![.options, .connect].contains(method),
      let mark = url.firstRange(of: "://"), ["http", "https"].contains(url[..<mark.lowerBound].lowercased()),
      let status = response["status"]?.int, 200...599 ~= status, status != 304,
      let content = response["content"], let body = Self.body(content)
    else { return nil }
    let start = url[mark.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    origin = String(url[..<start])
    let target = url[start...].prefix { $0 != "#" }
    let form = (request["postData"]?["params"]?.array ?? []).map { parameter in
      ["name", "value"].map { PercentEncoding.encodeSegment(parameter[$0]?.string ?? "") }.joined(separator: "=")
    }
    self.request =
      Request(
        method: method, target: target.hasPrefix("/") ? String(target) : "/\(target)",
        headerFields: Self.fields(request["headers"], type: request["postData"]?["mimeType"]),
        body: Array((request["postData"]?["text"]?.string ?? form.joined(separator: "&")).utf8)
      ).unconditional
    var fields = Self.fields(response["headers"], type: body.isEmpty ? nil : content["mimeType"])
    // The archive has the unpacked body, with text in UTF-8.
    fields[.contentEncoding] = nil
    if content["encoding"] == nil, let type = fields[.contentType], type.lowercased().contains("charset=") {
      let parts = type.split(separator: ";").filter { !$0.lowercased().contains("charset=") }
      fields[.contentType] = parts.joined(separator: ";") + "; charset=utf-8"
    }
    self.response = Response(status: HTTPResponse.Status(code: status), headerFields: fields, body: .bytes(body))
  }

  /// The bytes of a response's body; `nil` when the archive was saved without it.
  private static func body(_ content: JSONValue) -> [UInt8]? {
    guard let text = content["text"]?.string else { return content["size"]?.int ?? 0 > 0 ? nil : [] }
    guard content["encoding"]?.string == "base64" else { return Array(text.utf8) }
    return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { Array($0) }
  }

  /// The header fields, without pseudo-fields of HTTP/2 such as `:status`.
  private static func fields(_ list: JSONValue?, type: JSONValue?) -> HTTPFields {
    var fields: HTTPFields = [:]
    for field in list?.array ?? [] {
      guard let name = HTTPField.Name(field["name"]?.string ?? "") else { continue }
      // Chrome joins the values of fields with the same name by line breaks.
      for value in field["value"]?.string?.split(separator: "\n") ?? [] {
        fields.append(HTTPField(name: name, value: String(value)))
      }
    }
    if let type = type?.string, !type.isEmpty, !fields.contains(.contentType) { fields[.contentType] = type }
    return fields
  }
}
