import HTTPTypes
package import JSONDatabase
import JSONDescription
import JSONServerValues

/// The data in a request.
package struct WrittenBody: Sendable {
  /// An object, or an array of objects to write in bulk.
  package let json: ValidJSON
  /// Whether its values are texts because its type has only texts; then they get the types of the members.
  package let isText: Bool
  /// The names of the members whose values are not such texts.
  var exactNames: Set<[UInt8]> = []

  package init(_ json: ValidJSON, isText: Bool = false) {
    self.json = json
    self.isText = isText
  }

  /// The data of a request without a body.
  package static let empty = WrittenBody(.emptyObject)

  /// The JSON, with the types of the resource's members.
  ///
  /// - Parameter id: The id of the changed record, if it exists.
  package func json(for resource: String, id: String? = nil, in database: Database) -> ValidJSON {
    isText ? database.typed(json, for: resource, id: id, except: exactNames) : json
  }
}

/// Turns the body of a request, of any type, into JSON for the database.
package enum RequestBody {
  /// The longest body that is parsed on the event loop, which takes a fraction of a millisecond.
  package static let largestQuick = 128 * 1024

  /// Returns the body of a request as JSON.
  ///
  /// A body without a type, or with an unknown type, is accepted if it is JSON: many clients do not declare it. An image or
  /// another file becomes a record with the file.
  ///
  /// - Parameters:
  ///   - maximumDepth: The deepest nesting that the server accepts; the place of the record may add levels.
  ///   - isPatchable: Whether PATCH works for the target, for the message about a patch with another method.
  /// - Returns: An object, or an array of objects to write in bulk; `nil` without a body. JSON is returned as it was
  ///   sent, without the white space around it; values of forms and tables are strings.
  /// - Throws: 400, when the body does not match its type, or holds neither an object nor objects; 413, when a form has
  ///   too many fields; 415, when the type or its charset is not supported.
  package static func json(
    from request: Request, maximumDepth: Int = JSONScanner.defaultMaximumDepth, isPatchable: Bool = false
  ) throws(RequestError) -> WrittenBody? {
    guard !request.bytes.isEmpty else { return nil }
    let type = type(of: request)
    let body = JSONBody(maximumDepth: maximumDepth)
    guard let type else { return WrittenBody(try body.text(ofUntyped: request.bytes, essence: nil)) }
    switch BodyType(named: type.essence) {
    case .multipartForm:
      let form = try MultipartForm(request.bytes, boundary: type.parameters["boundary"])
      return WrittenBody(try body.text(of: try form.json()), isText: true)
    case .urlEncodedForm:
      let text = try utf8(of: request.bytes, type: type)
      if let json = try body.text(ofForm: text) { return WrittenBody(json) }
      return WrittenBody(try body.text(of: try URLEncodedForm.json(text)), isText: true)
    case .csv:
      let text = try utf8(of: request.bytes, type: type)
      let table = try CSVTable(text)
      var written = WrittenBody(try body.text(of: table.json), isText: true)
      written.exactNames = table.exactNames
      return written
    case .jsonLines:
      let text = try utf8(of: request.bytes, type: type)
      // The array around the lines adds one level.
      let lines = try JSONLines.json(text, maximumDepth: maximumDepth)
      return WrittenBody(try JSONBody(maximumDepth: maximumDepth + 1).text(of: lines))
    case nil where [mergePatch, jsonPatch].contains(type.essence):
      throw RequestError(
        isPatchable ? .unsupportedPatch : .unsupportedMediaType,
        "'\(type.essence)' is a patch, which changes a record; send it with PATCH, or JSON as 'application/json'.")
    case nil where type.isJSON:
      return WrittenBody(try body.text(of: try utf8(of: request.bytes, type: type)))
    case nil:
      do throws(RequestError) {
        return WrittenBody(try body.text(ofUntyped: request.bytes, essence: type.essence))
      } catch {
        guard error.code == .unsupportedMediaType, let file = FileRecord(request, type) else { throw error }
        return WrittenBody(ValidJSON(writing: file.json))
      }
    }
  }

  private static let mergePatch = "application/merge-patch+json"
  private static let jsonPatch = "application/json-patch+json"

  /// The types of patches, as `Accept-Patch` lists them (RFC 5789, section 3.1).
  package static let patchTypes =
    (["application/json", mergePatch, jsonPatch] + BodyType.ofChanges.map(\.name)).joined(separator: ", ")

  /// Returns the body of a request as a patch; `nil` for a body of another type, and for none.
  ///
  /// - Throws: 400 for an invalid patch; 415, when its charset is not supported.
  package static func patch(from request: Request, maximumDepth: Int) throws(RequestError) -> Patch? {
    guard !request.bytes.isEmpty, let type = type(of: request) else { return nil }
    switch type.essence {
    case mergePatch:
      let body = JSONBody(maximumDepth: maximumDepth)
      return .merge(try body.object(of: try utf8(of: request.bytes, type: type)))
    case jsonPatch:
      // A value is two levels deep: in an operation, in the array.
      let body = JSONBody(maximumDepth: maximumDepth + 2)
      let text = try body.value(of: try utf8(of: request.bytes, type: type))
      return try RequestError.converting(Patch.operations(PatchOperation.all(in: text)))
    default: return nil
    }
  }

  /// The type of a request's body; `nil` when none is declared.
  private static func type(of request: Request) -> MediaType? {
    request.headerFields[.contentType].map(MediaType.init)
  }

  /// Returns query parameters as the JSON text of an object, for clients that send their members there; `nil` when
  /// there are none.
  package static func json(from parameters: QueryParameters) -> WrittenBody? {
    guard !parameters.items.isEmpty else { return nil }
    var fields = JSONObject()
    for (name, value) in parameters.items { fields.append(.string(value), to: ParameterName(name)) }
    return WrittenBody(ValidJSON(writing: .object(fields)), isText: true)
  }

  /// Returns a body's text in UTF-8.
  ///
  /// UTF-8 is passed on unchecked; its reader checks it. UTF-16 is converted, with the byte order of its mark,
  /// else big-endian (RFC 2781, section 4.3) unless the charset names it.
  ///
  /// - Throws: 415 for any other charset; 400 for text that is not in the charset it names.
  private static func utf8(of body: [UInt8], type: MediaType) throws(RequestError) -> [UInt8] {
    let charset = type.parameters["charset"]?.lowercased()
    switch charset {
    case nil, "utf-8", "utf8", "us-ascii": return body
    case "utf-16", "utf-16be", "utf-16le":
      let isLittleEndian = charset == "utf-16le" || (charset == "utf-16" && body.starts(with: [0xFF, 0xFE]))
      return try converted(body, isLittleEndian: isLittleEndian)
    case .some(let charset):
      throw RequestError(.unsupportedMediaType, "The charset '\(charset)' is not supported; send the body as UTF-8.")
    }
  }

  private static func converted(_ body: [UInt8], isLittleEndian: Bool) throws(RequestError) -> [UInt8] {
    let units = stride(from: 0, to: body.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(body[index]), UInt16(body[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    let text = units.first == 0xFEFF ? units.dropFirst() : units[...]
    guard body.count.isMultiple(of: 2), let string = String(validating: text, as: UTF16.self) else {
      throw RequestError(.malformed, "The body is not valid UTF-16, as its charset says; send it as UTF-8.")
    }
    return Array(string.utf8)
  }
}
