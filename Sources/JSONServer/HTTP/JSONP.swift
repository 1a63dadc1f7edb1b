import HTTPTypes

/// Wraps JSON in a call of a function, for pages that read it through a script element, as Express does.
enum JSONP {
  /// Returns the function's name that the query's first `callback` gives; `nil` when it has no usable character.
  ///
  /// Only letters, digits, `_`, `$`, `.`, `[` and `]` stay.
  static func callback(in parameters: QueryParameters) -> String? {
    let name = parameters.first("callback")?.utf8.filter { ByteSet.words.contains($0) || punctuation.contains($0) }
    guard let name, !name.isEmpty else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private static let punctuation = Array("$.[]".utf8)

  /// Turns a response of JSON into a script that passes it to a function. Any other response is left as it is.
  ///
  /// The comment in front keeps the script from being taken for a Flash file, and `typeof` from failing where the
  /// function is gone.
  static func apply(to response: inout PreparedResponse, callback: String) {
    let json: [UInt8]
    switch response.body {
    case .bytes(let bytes): json = bytes
    case .slices(let body): json = body.bytes
    case .stream: return
    }
    guard !json.isEmpty,
      response.headerFields[.contentType].map(MediaType.init)?.isJSON == true
    else { return }
    var script = Array("/**/ typeof \(callback) === 'function' && \(callback)(".utf8)
    script.reserveCapacity(script.count + json.count + 2)
    appendEscaped(json, to: &script)
    script += ");".utf8
    response.body = .bytes(script)
    response.headerFields[.contentType] = "text/javascript; charset=utf-8"
    response.headerFields[.xContentTypeOptions] = "nosniff"
    if response.headerFields[.contentLength] != nil { response.headerFields[.contentLength] = "\(script.count)" }
  }

  /// Appends JSON with U+2028 and U+2029 escaped: older JavaScript takes them for line ends inside a string.
  private static func appendEscaped(_ json: [UInt8], to script: inout [UInt8]) {
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
    script += json[start...]
  }
}
