import HTTPTypes
import OrderedJSON

/// Turns the body of a request, whatever its type, into JSON for the database.
enum RequestBody {
  /// Returns the JSON text that a request's body stands for.
  ///
  /// A body without a type, or of one that is not listed, is accepted when it is JSON nevertheless: many clients
  /// do not declare it.
  ///
  /// - Parameter maximumDepth: The deepest nesting that is accepted; what holds the record may add levels to it.
  /// - Returns: An object, or an array of objects to write in bulk; `nil` when there is no body.
  ///   JSON is returned as it was sent, without the white space around it.
  /// - Throws: 400, when the body is not what its type says or holds neither an object nor objects; 413, when a form
  ///   has too many fields; 415, when the type, its charset or a content coding is not supported.
  static func json(
    from request: Request, maximumDepth: Int = JSONScanner.defaultMaximumDepth
  ) throws(RequestError) -> ValidJSON? {
    guard !request.body.isEmpty else { return nil }
    let type = try type(of: request)
    let body = JSONBody(maximumDepth: maximumDepth)
    guard let type else { return try body.text(ofUntyped: request.body, essence: nil) }
    switch type.essence {
    case "multipart/form-data":
      return try body.text(of: try MultipartForm(request.body, boundary: type.parameters["boundary"]).json())
    case "application/x-www-form-urlencoded":
      let text = try BodyText.utf8(of: request.body, type: type)
      if let json = try body.text(ofForm: text) { return json }
      return try body.text(of: try URLEncodedForm.json(text))
    case "text/csv":
      return try body.text(of: try CSVTable.json(try BodyText.utf8(of: request.body, type: type)))
    case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines":
      let text = try BodyText.utf8(of: request.body, type: type)
      // The array around the lines is one level more than any of them has.
      return try JSONBody(maximumDepth: maximumDepth + 1).text(of: JSONLines.json(text, maximumDepth: maximumDepth))
    case jsonPatch:
      throw RequestError(.unsupportedMediaType, "A JSON Patch changes what is there; send it with PATCH.")
    case _ where type.isJSON:
      return try body.text(of: try BodyText.utf8(of: request.body, type: type))
    default:
      return try body.text(ofUntyped: request.body, essence: type.essence)
    }
  }

  private static let mergePatch = "application/merge-patch+json"
  private static let jsonPatch = "application/json-patch+json"

  /// The types that a PATCH takes, as `Accept-Patch` lists them (RFC 5789, section 3.1).
  static let patchTypes =
    "application/json, \(mergePatch), \(jsonPatch), application/x-www-form-urlencoded, multipart/form-data"

  /// Returns the patch that a request's body is; `nil` for a body of another type, and for none.
  ///
  /// - Throws: 400, when the body is no patch of its type; 415, when its charset or a content coding is not supported.
  static func patch(from request: Request, maximumDepth: Int) throws(RequestError) -> Patch? {
    guard !request.body.isEmpty, let type = try type(of: request) else { return nil }
    switch type.essence {
    case mergePatch:
      let body = JSONBody(maximumDepth: maximumDepth)
      return .merge(try body.object(of: try BodyText.utf8(of: request.body, type: type)))
    case jsonPatch:
      // A value is two levels deep, in an operation and the array.
      let body = JSONBody(maximumDepth: maximumDepth + 2)
      let text = try body.value(of: try BodyText.utf8(of: request.body, type: type))
      do throws(PatchError) {
        return .operations(try PatchOperation.all(in: text))
      } catch {
        throw RequestError(.malformed, error.message)
      }
    default: return nil
    }
  }

  /// The type of a request's body; `nil` when none is declared.
  private static func type(of request: Request) throws(RequestError) -> MediaType? {
    if let coding = request.headerFields[.contentEncoding], coding.lowercased() != "identity" {
      throw RequestError(
        .unsupportedMediaType, "Content-Encoding '\(coding)' is not supported; send the body without compression.")
    }
    return request.headerFields[.contentType].map(MediaType.init)
  }

  /// Returns query parameters as the JSON text of an object, for a client that sends its arguments there; `nil` when
  /// there are none.
  static func json(from parameters: QueryParameters) -> ValidJSON? {
    guard !parameters.items.isEmpty else { return nil }
    var fields = FormFields()
    for (name, value) in parameters.items { fields.append(.string(value), to: ParameterName(name)) }
    return ValidJSON(writing: fields.value)
  }
}
