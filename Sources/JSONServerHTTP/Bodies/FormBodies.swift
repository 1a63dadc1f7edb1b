import JSONServerValues

/// Reads `application/x-www-form-urlencoded` bodies (WHATWG URL, section 5.1).
enum URLEncodedForm {
  /// Returns a form as the JSON text of an object whose values are strings, or arrays of them for a repeated name.
  ///
  /// A name or a value that is not percent-encoded UTF-8, such as `100%`, stands for itself.
  ///
  /// - Throws: 400, when the text is not UTF-8; 413, when there are more than ``JSONObject/maximumFieldCount`` fields.
  static func json(_ body: [UInt8]) throws(RequestError) -> [UInt8] {
    guard String(validating: body, as: UTF8.self) != nil else {
      throw RequestError(.malformed, "The form is not UTF-8; send other characters as UTF-8, percent-encoded.")
    }
    var fields = JSONObject()
    var count = 0
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decodeForm(parts[0])
      let value = PercentEncoding.decodeForm(parts.count > 1 ? parts[1] : [])
      guard !name.isEmpty else { continue }
      guard count < JSONObject.maximumFieldCount else {
        throw RequestError(
          .bodyTooLarge, "The form has more than \(JSONObject.maximumFieldCount) fields; send fewer, or send JSON.")
      }
      count += 1
      fields.append(.string(value), to: ParameterName(name))
    }
    return JSONValue.object(fields).utf8Text(.compact)
  }
}

/// The fields of a form, in the order of their first appearance.
extension JSONObject {
  /// The largest number of fields of a form.
  fileprivate static let maximumFieldCount = 1000

  /// Adds a field. A name that occurs twice, or in brackets, becomes an array.
  mutating func append(_ value: JSONValue, to parameter: ParameterName) {
    // No single field's value is an array.
    switch self[parameter.name] {
    case .array(let list)?: self[parameter.name] = .array(list + [value])
    case let first?: self[parameter.name] = [first, value]
    case nil: self[parameter.name] = parameter.isListElement ? [value] : value
    }
  }
}

/// Reads a `multipart/form-data` body (RFC 7578) from front to back.
struct MultipartForm {
  private let body: [UInt8]
  /// The separator of parts: a line end and the boundary.
  private let delimiter: [UInt8]

  /// Starts to read a body.
  ///
  /// - Parameter boundary: The parameter of the body's type.
  /// - Throws: 400, when the boundary is missing, or longer than the 70 characters of RFC 2046.
  init(_ body: [UInt8], boundary: String?) throws(RequestError) {
    guard let boundary, 1...70 ~= boundary.utf8.count else {
      throw RequestError(
        .malformed,
        """
        The Content-Type multipart/form-data has no boundary of 1 to 70 characters; let the client library set \
        Content-Type itself.
        """)
    }
    self.body = body
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// Returns the form as the JSON text of an object.
  ///
  /// Text becomes a string, a file `{"filename", "type", "size", "data"}` with its bytes in base64; a repeated name
  /// becomes an array.
  ///
  /// - Throws: 400, when the body does not follow RFC 7578; 413, when it has more than ``JSONObject/maximumFieldCount``
  ///   parts.
  func json() throws(RequestError) -> [UInt8] {
    var fields = JSONObject()
    var count = 0
    var position = try startOfFirstPart()
    while var start = position {
      guard count < JSONObject.maximumFieldCount else {
        throw RequestError(.bodyTooLarge, "The form has more than \(JSONObject.maximumFieldCount) parts; send fewer.")
      }
      count += 1
      let head = try MultipartHead(body, at: &start, number: count)
      guard let end = endOfContent(from: start) else {
        throw RequestError(
          .malformed,
          "Part \(count) of the form, '\(head.name)', does not end: no boundary follows it. Send the body whole.")
      }
      fields.append(try value(of: head, body[start..<end]), to: ParameterName(head.name))
      position = try startOfPart(afterDelimiterAt: end)
    }
    return JSONValue.object(fields).utf8Text(.compact)
  }

  /// Finds the first boundary, which may start the body or follow a preamble.
  private func startOfFirstPart() throws(RequestError) -> Int? {
    let dashBoundary = delimiter.dropFirst(2)
    if body.starts(with: dashBoundary) { return try startOfPart(afterDelimiterAt: -2) }
    guard let start = endOfContent(from: 0) else {
      throw RequestError(
        .malformed,
        """
        The form's boundary '\(String(decoding: dashBoundary.dropFirst(2), as: UTF8.self))' does not stand in the body; \
        send the boundary that Content-Type names.
        """)
    }
    return try startOfPart(afterDelimiterAt: start)
  }

  /// Returns where the part after a delimiter starts; `nil` after the closing one.
  private func startOfPart(afterDelimiterAt offset: Int) throws(RequestError) -> Int? {
    let rest = body[(offset + delimiter.count)...]
    if rest.starts(with: "--".utf8) { return nil }
    let line = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard line.starts(with: "\r\n".utf8) else {
      throw RequestError(
        .malformed,
        "A boundary of the form is followed by neither a line end (CR LF) nor the closing '--'; send the body whole.")
    }
    return line.startIndex + 2
  }

  /// Returns the offset of the next complete delimiter: a boundary may be the start of a longer one.
  private func endOfContent(from start: Int) -> Int? {
    var position = start
    while let candidate = body[position...].firstIndex(of: UInt8(ascii: "\r")) {
      let rest = body[candidate...]
      if rest.starts(with: delimiter), endsWord(rest.dropFirst(delimiter.count)) { return candidate }
      position = candidate + 1
    }
    return nil
  }

  private func endsWord(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let next = rest.first else { return true }
    return next == UInt8(ascii: "\r") || next == UInt8(ascii: " ") || next == UInt8(ascii: "\t")
      || rest.starts(with: "--".utf8)
  }

  private func value(of head: MultipartHead, _ content: ArraySlice<UInt8>) throws(RequestError) -> JSONValue {
    guard let filename = head.filename else {
      guard let text = String(validating: content, as: UTF8.self) else {
        throw RequestError(
          .malformed, "The form field '\(head.name)' is not UTF-8; send text as UTF-8, or as a file with a filename.")
      }
      return .string(text)
    }
    return FileRecord(name: filename, type: head.type ?? "application/octet-stream", bytes: content).json
  }
}

/// The header of one part of a form (RFC 7578, section 4).
private struct MultipartHead {
  /// The name of the form's field.
  let name: String

  /// The name of the file; `nil` when the part is text.
  let filename: String?

  /// The part's own Content-Type.
  let type: String?

  /// Reads the fields of a part.
  ///
  /// - Parameters:
  ///   - body: The form.
  ///   - position: The offset of the part's first field, and then of its content.
  ///   - number: The position of the part in the form, for errors.
  /// - Throws: 400, when the head does not end or names no field.
  init(_ body: [UInt8], at position: inout Int, number: Int) throws(RequestError) {
    var fields: [String: String] = [:]
    while true {
      guard let lineEnd = body[position...].firstIndex(of: UInt8(ascii: "\r")),
        body[lineEnd...].starts(with: "\r\n".utf8)
      else {
        throw RequestError(
          .malformed,
          "The headers of part \(number) of the form do not end; an empty line must stand before the content.")
      }
      let line = String(decoding: body[position..<lineEnd], as: UTF8.self)
      position = lineEnd + 2
      if line.isEmpty { break }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw RequestError(
          .malformed, "Part \(number) of the form has a header line without a colon; correct '\(line)'.")
      }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " || $0 == "\t" })
    }
    let disposition = fields["content-disposition"].map(MediaType.init)
    guard let disposition, disposition.essence == "form-data", let name = disposition.parameters["name"]
    else {
      throw RequestError(
        .malformed,
        "Part \(number) of the form names no field; give it a Content-Disposition: form-data; name=\"…\".")
    }
    let coding = fields["content-transfer-encoding"]?.lowercased() ?? "binary"
    guard ["binary", "8bit", "7bit"].contains(coding) else {
      throw RequestError(
        .malformed,
        "The form field '\(name)' has the Content-Transfer-Encoding '\(coding)'; send its bytes as they are.")
    }
    self.name = name
    filename = disposition.parameters["filename"]
    type = fields["content-type"]
  }
}
