import HTTPTypes
import OrderedJSON

/// Checks bodies that are JSON.
struct JSONBody {
  /// The deepest nesting that is accepted.
  let maximumDepth: Int

  /// Returns a JSON body without the white space and the byte order mark around its value.
  ///
  /// - Throws: 400, when the body is no JSON, or neither an object nor an array of objects.
  func text(of body: [UInt8]) throws(HTTPError) -> [UInt8] {
    let range: Range<Int>
    do throws(JSONError) {
      range = try scan(body)
    } catch {
      throw HTTPError(error)
    }
    return try Self.objects(in: body, range)
  }

  /// Returns a body whose type does not say JSON, when it is JSON.
  ///
  /// - Parameter essence: The type that was sent, `nil` when none was.
  /// - Throws: 415, when the body is no JSON; 400, when it is, but neither an object nor an array of objects.
  func text(ofUntyped body: [UInt8], essence: String?) throws(HTTPError) -> [UInt8] {
    let range: Range<Int>
    do throws(JSONError) {
      range = try scan(body)
    } catch  where error.code == .tooDeep {
      throw HTTPError(error)
    } catch {
      let fault = essence.map { "Content-Type '\($0)' is not supported" } ?? "The request has no Content-Type"
      throw HTTPError(
        .unsupportedMediaType,
        """
        \(fault), and the body is not JSON; send application/json (or any type that ends in +json), \
        application/x-www-form-urlencoded, multipart/form-data, text/csv or application/x-ndjson.
        """)
    }
    return try Self.objects(in: body, range)
  }

  private func scan(_ body: [UInt8]) throws(JSONError) -> Range<Int> {
    try body.withUnsafeBufferPointer { bytes throws(JSONError) in
      var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
      return try scanner.scanDocument()
    }
  }

  /// Returns the valid JSON in a range of a body, when it is an object or an array of objects.
  private static func objects(in body: [UInt8], _ range: Range<Int>) throws(HTTPError) -> [UInt8] {
    switch body[range.lowerBound] {
    case UInt8(ascii: "{"): break
    case UInt8(ascii: "["):
      try body.withUnsafeBufferPointer { bytes throws(HTTPError) in
        try checkElements(of: bytes, from: range.lowerBound)
      }
    case let first:
      throw HTTPError(
        .badRequest, "The body is \(kind(of: first)); send an object, or an array of objects to write several at once.")
    }
    return range == body.indices ? body : Array(body[range])
  }

  private static func checkElements(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) throws(HTTPError) {
    var position = JSONSyntax.skipWhitespace(in: bytes, from: start + 1)
    var count = 0
    while bytes[position] != UInt8(ascii: "]") {
      count += 1
      guard bytes[position] == UInt8(ascii: "{") else {
        throw HTTPError(
          .badRequest,
          "Element \(count) of the array in the body is \(kind(of: bytes[position])); every element must be an object.")
      }
      position = JSONSyntax.skipWhitespace(in: bytes, from: JSONSyntax.endOfValue(in: bytes, from: position))
      if bytes[position] == UInt8(ascii: ",") { position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1) }
    }
  }

  /// The kind of the valid JSON value that starts with a byte, as a sentence has it.
  static func kind(of first: UInt8) -> String {
    switch first {
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "an array"
    case UInt8(ascii: "\""): "a string"
    case UInt8(ascii: "n"): "null"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a boolean"
    default: "a number"
    }
  }
}

extension HTTPError {
  /// The answer to a body that is no JSON, or deeper nested than the database may be.
  fileprivate init(_ error: JSONError) {
    let place = "\(error.line):\(error.column)"
    if error.code == .tooDeep {
      self.init(.badRequest, "The body is \(error.message) at \(place); the file may not be deeper. See --max-depth.")
    } else {
      self.init(.badRequest, "The body is not JSON: at \(place), \(error.message). Correct it there.")
    }
  }
}
