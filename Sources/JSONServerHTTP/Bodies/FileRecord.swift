import HTTPTypes
package import JSONServerValues
import TextMatching

/// A file as JSON: `{"filename", "type", "size", "data"}` with its bytes in base64, a part of a form or a whole record.
package struct FileRecord: Sendable {
  /// The file's name, if the client has sent one.
  let name: String?
  let type: String
  let bytes: [UInt8]

  init(name: String?, type: String, bytes: some Sequence<UInt8>) {
    (self.name, self.type, self.bytes) = (name, type, Array(bytes))
  }

  /// Reads a body that is a file; `nil` for a type that is none.
  init?(_ request: Request, _ type: MediaType) {
    guard Self.isFile(type.essence), let text = request.headerFields[.contentType] else { return nil }
    let disposition = request.headerFields[.contentDisposition].map(MediaType.init)
    self.init(name: disposition?.parameters["filename"], type: text, bytes: request.bytes)
  }

  /// Reads a record that holds a file; `nil` for any other record.
  package init?(_ record: ValidJSON) {
    // Nearly all records lack the name, and reading their members takes ten times as long.
    guard record.withToken({ Self.dataName.firstMatch(in: $0.bytes, from: 0) }) != nil else { return nil }
    let members = record.members(named: ["filename", "type", "size", "data"])
    guard let type = members["type"]?.string, Self.isFile(MediaType(type).essence), let size = members["size"]?.int,
      let text = members["data"]?.string, let data = Data(base64Encoded: text), data.count == size
    else { return nil }
    self.init(name: members["filename"]?.string, type: type, bytes: data)
  }

  /// Whether bodies of a type are files, and no data.
  private static func isFile(_ essence: String) -> Bool {
    ["image/", "audio/", "video/", "font/"].contains { essence.hasPrefix($0) } || applications.contains(essence)
  }

  private static let dataName = LiteralSearch(caseInsensitive: "\"data\"")
  private static let applications: Set = [
    "application/gzip", "application/octet-stream", "application/pdf", "application/zip",
  ]

  var json: JSONValue {
    var members = JSONObject()
    members["filename"] = name.map(JSONValue.string)
    members["type"] = .string(type)
    members["size"] = .number(JSONNumber(bytes.count))
    members["data"] = .string(Data(bytes).base64EncodedString())
    return .object(members)
  }

  /// The response to a GET or HEAD of the record's address, unless the client asks for JSON.
  package func response(to request: Request) -> Response? {
    guard request.headerFields[.accept]?.lowercased().contains("json") != true else { return nil }
    return FileResponse(self).response(to: request)
  }
}
