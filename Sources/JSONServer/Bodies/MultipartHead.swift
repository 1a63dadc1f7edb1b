import HTTPTypes

/// What the fields of one part of a form say (RFC 7578, section 4).
struct MultipartHead: Hashable {
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
  ///   - start: The offset of the part's first field.
  ///   - number: The position of the part in the form, for errors.
  /// - Returns: The head, and the offset of the content after it.
  /// - Throws: 400, when the head does not end or names no field.
  static func read(_ body: [UInt8], from start: Int, number: Int) throws(RequestError) -> (MultipartHead, content: Int)
  {
    var fields: [String: String] = [:]
    var position = start
    while let lineEnd = body[position...].firstIndex(of: UInt8(ascii: "\r")), body[lineEnd...].starts(with: "\r\n".utf8)
    {
      let line = String(decoding: body[position..<lineEnd], as: UTF8.self)
      position = lineEnd + 2
      guard !line.isEmpty else { return (try MultipartHead(fields, number: number), position) }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw RequestError(
          .malformed, "Part \(number) of the form has a header line without a colon; correct '\(line)'.")
      }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " || $0 == "\t" })
    }
    throw RequestError(
      .malformed, "The headers of part \(number) of the form do not end; an empty line must stand before the content.")
  }

  private init(_ fields: [String: String], number: Int) throws(RequestError) {
    let disposition = fields["content-disposition"].map(MediaType.init)
    guard let disposition, disposition.essence == "form-data", let name = disposition.parameters["name"], !name.isEmpty
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
