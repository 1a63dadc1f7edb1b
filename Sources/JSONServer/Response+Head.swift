import HTTPTypes

extension Response {
  /// The answer to HEAD: the fields of the answer to GET, the length among them, without its body (RFC 9110, section
  /// 9.3.2).
  var head: Response {
    var response = self
    let length: Int? =
      switch body {
      case .bytes(let bytes): bytes.isEmpty ? nil : bytes.count
      case .stream(_, let length): length
      }
    if let length { response.headerFields[.contentLength] = String(length) }
    response.body = .bytes([])
    return response
  }
}
