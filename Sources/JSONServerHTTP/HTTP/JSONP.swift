import HTTPTypes
import JSONDatabase

/// Wraps JSON in a function call, for pages that read it with a script element, as Express does.
package enum JSONP {
  /// Returns the function's name from the query's first `callback`; `nil` when no valid character is left.
  ///
  /// Only letters, digits, `_`, `$`, `.`, `[` and `]` are valid.
  package static func callback(in parameters: QueryParameters) -> String? {
    let name = parameters.first("callback")?.utf8.filter { ByteSet.words.contains($0) || punctuation.contains($0) }
    guard let name, !name.isEmpty else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private static let punctuation = Array("$.[]".utf8)

  /// Turns a JSON response into a script that passes the JSON to a function. Leaves any other response as it is.
  ///
  /// The comment in front keeps the script from being taken for a Flash file; `typeof` avoids an error when the function
  /// does not exist.
  package static func apply(to response: inout PreparedResponse, callback: String) {
    guard response.headerFields[.contentType].map(MediaType.init)?.isJSON == true else { return }
    let (start, end) = (Array("/**/ typeof \(callback) === 'function' && \(callback)(".utf8), Array(");".utf8))
    switch response.body {
    case .bytes(let json) where json.isEmpty: return
    case .bytes(let json) where json.count <= PreparedResponse.largestWhole:
      let script = start + escaped(json) + end
      response.body = .bytes(script)
      if response.headerFields[.contentLength] != nil { response.headerFields[.contentLength] = "\(script.count)" }
    case .bytes(let json): response.body = .slices(SlicedBody(script: [.bytes(start), .bytes(json), .bytes(end)]))
    case .slices(let body):
      response.body = .slices(SlicedBody(script: [.bytes(start)] + body.text.segments + [.bytes(end)]))
    case .stream, .events: return
    }
    response.headerFields[.contentType] = "text/javascript; charset=utf-8"
    response.headerFields[.xContentTypeOptions] = "nosniff"
  }

  /// JSON with U+2028 and U+2029 escaped: older JavaScript takes them for line breaks inside of a string.
  static func escaped(_ json: [UInt8]) -> [UInt8] {
    var script: [UInt8] = []
    script.reserveCapacity(json.count)
    var start = 0
    while let found = json[start...].firstIndex(of: 0xE2) {
      let scalar = json[found...].prefix(3)
      let isSeparator = scalar.elementsEqual([0xE2, 0x80, 0xA8]) || scalar.elementsEqual([0xE2, 0x80, 0xA9])
      script += json[start..<found]
      if isSeparator {
        script += scalar.last == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
      } else {
        script += scalar
      }
      start = scalar.endIndex
    }
    return script + json[start...]
  }
}
