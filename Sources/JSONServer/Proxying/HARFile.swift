import HTTPTypes
import JSONServerValues

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The exchanges of an HTTP archive (HAR 1.2), in which browsers save what pages have asked for.
package struct HARFile: Sendable {
  package struct Exchange: Sendable {
    /// The address of the server, such as `https://api.example.com`.
    package let origin: String
    package let request: Request
    /// With a body that is not compressed.
    package let response: Response
  }

  /// In the order in which the requests were sent. Left out is what was no whole exchange (it failed, was blocked, came from
  /// a cache or was saved without its body), web sockets, and preflights, to which this server responds itself.
  package let exchanges: [Exchange]

  /// Reads a document; `nil` for one that is no archive.
  init?(_ document: JSONValue) {
    guard let entries = document["log"]?["entries"]?.array else { return nil }
    let times = entries.enumerated().map { ($0.element["startedDateTime"]?.string ?? "", $0.offset) }
    exchanges = times.sorted { $0 < $1 }.compactMap { Exchange(entries[$0.1]) }
  }

  /// Reads a file's text.
  ///
  /// - Throws: ``ServerError`` with code `sourceInvalid` that names the file, and the place of a fault in it.
  package init(parsing text: [UInt8], name: String) throws(ServerError) {
    let file: HARFile?
    do throws(JSONError) {
      file = HARFile(try JSONValue(parsing: text))
    } catch {
      throw ServerError(
        .sourceInvalid, "\(name):\(error.description)", excerpt: Excerpt(of: text, at: error.offset).text)
    }
    guard let file else {
      throw ServerError(.sourceInvalid, "\(name): this is no HTTP archive; a browser's network panel saves one (HAR).")
    }
    self = file
  }

  /// The exchanges as stubs, without their secrets, for requests that nothing else responds to.
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
        var rule = try Rule(.stub, AdminBody(stub), files: files)
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
    // The archive has the body as it was unpacked, and a text in UTF-8.
    fields[.contentEncoding] = nil
    if content["encoding"] == nil, let type = fields[.contentType], type.lowercased().contains("charset=") {
      let parts = type.split(separator: ";").filter { !$0.lowercased().contains("charset=") }
      fields[.contentType] = parts.joined(separator: ";") + "; charset=utf-8"
    }
    self.response = Response(status: HTTPResponse.Status(code: status), headerFields: fields, body: .bytes(body))
  }

  /// The bytes of a response's body; `nil` when the archive was saved without them.
  private static func body(_ content: JSONValue) -> [UInt8]? {
    guard let text = content["text"]?.string else { return content["size"]?.int ?? 0 > 0 ? nil : [] }
    guard content["encoding"]?.string == "base64" else { return Array(text.utf8) }
    return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { Array($0) }
  }

  /// The fields; of HTTP/2 there are such as `:status`, too, which are none.
  private static func fields(_ list: JSONValue?, type: JSONValue?) -> HTTPFields {
    var fields: HTTPFields = [:]
    for field in list?.array ?? [] {
      guard let name = HTTPField.Name(field["name"]?.string ?? "") else { continue }
      // Chrome joins the values of several fields of a name with line breaks.
      for value in field["value"]?.string?.split(separator: "\n") ?? [] {
        fields.append(HTTPField(name: name, value: String(value)))
      }
    }
    if let type = type?.string, !type.isEmpty, !fields.contains(.contentType) { fields[.contentType] = type }
    return fields
  }
}
