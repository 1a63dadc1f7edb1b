import JSONDescription
import JSONServerValues

/// Checks bodies that are JSON.
package struct JSONBody {
  /// The deepest nesting that the server accepts.
  let maximumDepth: Int

  package init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
  }

  /// Returns a JSON body without the white space and the byte order mark around its value.
  ///
  /// - Throws: 400, when the body is not JSON, or neither an object nor an array of objects.
  func text(of body: [UInt8]) throws(RequestError) -> ValidJSON {
    try Self.objects(value(of: body))
  }

  /// Returns a JSON body that is an object.
  ///
  /// - Throws: 400, when it is not.
  func object(of body: [UInt8]) throws(RequestError) -> ValidJSON {
    let value = try value(of: body)
    let kind = value.kind
    guard kind == .object else {
      throw RequestError(.malformed, "The body is \(kind.description); send an object of the members to change.")
    }
    return value
  }

  /// Returns a JSON body of any value.
  ///
  /// - Parameter refusal: The error for a body that is not JSON; by default 400.
  package func value(
    of body: [UInt8], orThrow refusal: (JSONError) -> RequestError = RequestError.init
  ) throws(RequestError) -> ValidJSON {
    do throws(JSONError) {
      return try ValidJSON(parsing: body, maximumDepth: maximumDepth)
    } catch {
      throw refusal(error)
    }
  }

  /// Returns a body that is JSON without saying so in its type.
  ///
  /// - Parameter essence: The declared type; `nil` for none.
  /// - Throws: 415, when the body is not JSON; 400, when it is JSON, but neither an object nor an array of objects.
  func text(ofUntyped body: [UInt8], essence: String?) throws(RequestError) -> ValidJSON {
    let value = try value(of: body) { error in
      if error.code == .tooDeep { return RequestError(error) }
      let others = BodyType.allCases.map(\.name)
      let fault = essence.map { "Content-Type '\($0)' is not supported" } ?? "The request has no Content-Type"
      return RequestError(
        .unsupportedMediaType,
        """
        \(fault), and the body is not JSON; send application/json (or any type that ends in +json), \
        \(others.dropLast().joined(separator: ", ")) or \(others.last ?? "").
        """)
    }
    return try Self.objects(value)
  }

  /// Returns a body that is declared as a form but is JSON, as `curl -d` sends it; `nil` for a form.
  ///
  /// A form that begins with a bracket and has no `=` counts as JSON, too.
  ///
  /// - Throws: 400 for JSON that is neither an object nor an array of objects, and for invalid JSON.
  func text(ofForm body: [UInt8]) throws(RequestError) -> ValidJSON? {
    let text = body.dropFirst(body.withUnsafeBufferPointer(JSONSyntax.endOfByteOrderMark))
    guard let first = text.first(where: { !JSONSyntax.isWhitespace($0) }), "{[".utf8.contains(first) else { return nil }
    let value: ValidJSON
    do throws(JSONError) {
      value = try ValidJSON(parsing: body, maximumDepth: maximumDepth)
    } catch  where error.code != .tooDeep && body.contains(UInt8(ascii: "=")) {
      return nil
    } catch {
      throw RequestError(error)
    }
    return try Self.objects(value)
  }

  /// Returns a value when it is an object or an array of objects.
  private static func objects(_ value: ValidJSON) throws(RequestError) -> ValidJSON {
    try value.withToken { body throws(RequestError) in
      guard let elements = ArrayReader(body) else {
        guard body.kind == .object else {
          throw RequestError(
            .malformed,
            "The body is \(body.kind.description); send an object, or an array of objects to write several at once.")
        }
        return
      }
      for (number, element) in zip(1..., elements) {
        guard element.kind == .object else {
          throw RequestError(
            .malformed,
            """
            Element \(number) of the array in the body is \(element.kind.description); every element must be an object.
            """)
        }
      }
    }
    return value
  }
}

extension RequestError {
  /// The response to a body that is not JSON, or more deeply nested than the database may be.
  fileprivate init(_ error: JSONError) {
    let place = "\(error.line):\(error.column)"
    if error.code == .tooDeep {
      self.init(
        .malformed,
        "The body is \(error.message) at \(place); the file may not be deeper. See Server.Configuration.maximumDepth.")
    } else {
      self.init(.malformed, "The body is not JSON: at \(place), \(error.message). Correct it there.")
    }
  }
}

/// Reads newline-delimited JSON: one object per line.
enum JSONLines {
  /// Returns the lines as the JSON text of an array. Empty lines are skipped.
  ///
  /// - Parameter maximumDepth: The deepest nesting of a line that is accepted.
  /// - Throws: 400 with the number of the first line that is not a JSON object.
  static func json(_ body: [UInt8], maximumDepth: Int) throws(RequestError) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "[")]
    output.reserveCapacity(body.count + 2)
    let start = body.withUnsafeBufferPointer(JSONSyntax.endOfByteOrderMark)
    let lines = body[start...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (line, number) in zip(lines, 1...) where !line.allSatisfy(JSONSyntax.isWhitespace) {
      let object = try JSONBody(maximumDepth: maximumDepth).value(of: Array(line)) { error in
        RequestError(
          .malformed,
          "Line \(number) of the body is not JSON: at \(number):\(error.column), \(error.message). Correct it there.")
      }
      let kind = object.withToken(\.kind)
      guard kind == .object else {
        throw RequestError(
          .malformed, "Line \(number) of the body is \(kind.description); every line must be an object.")
      }
      if output.count > 1 { output.append(UInt8(ascii: ",")) }
      object.withToken { output += $0.bytes }
    }
    output.append(UInt8(ascii: "]"))
    return output
  }
}
