public import JSONServerMock
public import Testing

extension MockServer {
  /// The data as it is now.
  public var value: JSONValue {
    get async { await server.value }
  }

  /// Returns the records of a collection, in stored order.
  ///
  /// ```swift
  /// #expect(try await server.records("bookmarks", as: Bookmark.self).count == 2)
  /// ```
  ///
  /// - Parameters:
  ///   - collection: The collection's name.
  ///   - type: The type of a record.
  ///   - decoder: Reads the records.
  ///   - isolation: The actor that the records are read on; the caller's.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: `ServerError` when there is no such collection; ``MockServerError`` that names the record and its member when
  ///   one cannot be read: `bookmarks[3] (id 7): title: expected String, found null`.
  public func records<Record: Decodable>(
    _ collection: String, as type: Record.Type = Record.self, decoder: JSONDecoder = JSONDecoder(),
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [Record] {
    let values = JSONValue.array(try await server.values(of: collection))
    return try Self.decode(values, in: collection, decoder, at: sourceLocation)
  }

  /// Returns a record of a collection.
  ///
  /// ```swift
  /// #expect(try await server.record("bookmarks", id: 7, as: Bookmark.self).title == "NIO")
  /// ```
  ///
  /// - Parameters:
  ///   - collection: The collection's name.
  ///   - id: The record's id.
  ///   - type: The type of the record.
  ///   - decoder: Reads the record.
  ///   - isolation: The actor that the record is read on; the caller's.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: `ServerError` when there is no such record; ``MockServerError`` that names the member when the record cannot
  ///   be read.
  public func record<Record: Decodable>(
    _ collection: String, id: some CustomStringConvertible, as type: Record.Type = Record.self,
    decoder: JSONDecoder = JSONDecoder(), isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Record {
    let value = try await server.value(of: collection, id: "\(id)")
    return try Self.decode(value, in: "\(collection)/\(id)", decoder, at: sourceLocation)
  }

  private static func decode<Value: Decodable>(
    _ value: JSONValue, in resource: String, _ decoder: JSONDecoder, at place: SourceLocation
  ) throws(MockServerError) -> Value {
    do {
      return try value.decode(Value.self, decoder: decoder)
    } catch {
      let failure = DecodingFailure(error, in: resource, value)
      throw MockServerError("\(failure)\nThe record is \(failure.value)").at(place)
    }
  }

  /// Changes the data as another client of the same backend does, with any request that the server takes.
  ///
  /// ```swift
  /// try await server.send(.post, "/bookmarks", body: ["title": "Added on another device"])
  /// ```
  ///
  /// The request is none of ``requests``, and meets no stub, fault or hold.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path, with the query.
  ///   - body: The body; `nil` for none.
  ///   - headers: Further header fields, such as `Authorization` where users sign in.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Returns: The response, whose ``JSONServer/Response/json`` is the record.
  /// - Throws: ``MockServerError`` with the server's message when the server refuses the request.
  @discardableResult
  public func send(
    _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil, headers: KeyValuePairs<String, String> = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) -> Response {
    guard isRunning else {
      throw MockServerError("The server has stopped, so it cannot take \(method) \(path).").at(sourceLocation)
    }
    let response = await server.respondUnseen(method, path, body: body, headers: headers)
    guard response.status.code < 400 else {
      let reason = response.errorMessage ?? response.testDescription
      throw MockServerError(
        "The server refuses \(method) \(path) with \(response.status.code): \(reason)"
      ).at(sourceLocation)
    }
    return response
  }

  /// Restores the data of the start; the journal, faults and stubs stay. Stubs begin with their first response again.
  public func reset() async throws(ServerError) {
    try await server.reset()
  }

  /// Saves the data under a name; replaces a snapshot of the same name.
  public func saveSnapshot(_ name: String) async {
    await server.saveSnapshot(name)
  }

  /// Restores the data of a snapshot.
  ///
  /// - Throws: `ServerError` when there is no snapshot of this name.
  public func restoreSnapshot(_ name: String) async throws(ServerError) {
    try await server.restoreSnapshot(name)
  }

  /// Expires all access tokens; refresh tokens stay valid.
  public func expireTokens() async {
    await server.expireTokens()
  }

  /// Expects that a resource is equal to JSON; the order of members and the spelling of numbers make no difference.
  ///
  /// ```swift
  /// try await server.expect("bookmarks", equals: [["id": 2, "title": "NIO"]])
  /// ```
  ///
  /// In Swift Testing, an unmet expectation is recorded as an issue and the test goes on; elsewhere it is thrown.
  ///
  /// - Throws: ``MockServerError`` that shows the difference, member by member.
  public func expect(
    _ resource: String, equals expected: JSONValue, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) {
    if let error = await difference(of: resource, expected: expected, actual: server.value[resource]) {
      try error.report(at: sourceLocation)
    }
  }

  /// Expects that a resource is equal to a Swift value: a collection to an array of records, an object to a record.
  ///
  /// ```swift
  /// try await server.expect("bookmarks", equals: [Bookmark(id: 2, title: "NIO")])
  /// ```
  ///
  /// The data is decoded as that type: members that the type does not have make no difference. In Swift Testing, an unmet
  /// expectation is recorded as an issue and the test goes on; elsewhere it is thrown.
  ///
  /// - Parameters:
  ///   - resource: The resource's name.
  ///   - expected: The expected value.
  ///   - decoder: Reads the data.
  ///   - isolation: The actor that the value is read on; the caller's.
  ///   - sourceLocation: The place of the expectation, for the issue.
  /// - Throws: ``MockServerError`` that shows the difference, member by member.
  @_disfavoredOverload
  public func expect<Value: Codable>(
    _ resource: String, equals expected: Value, decoder: JSONDecoder = JSONDecoder(),
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) {
    let stored = await server.value[resource]
    // What the type reads of the data, in the form in which it is expected.
    let read = { (stored: JSONValue) throws -> JSONValue in
      let value: Value
      do {
        value = try stored.decode(Value.self, decoder: decoder)
      } catch {
        let failure = DecodingFailure(error, in: resource, stored)
        throw MockServerError(
          "'\(resource)' cannot be read as \(Value.self):\n  \(failure)\nThere is \(failure.value)")
      }
      return try .encoding(value)
    }
    let result: MockServerError?
    do {
      result = try await difference(of: resource, expected: .encoding(expected), actual: stored.map(read))
    } catch let error as MockServerError {
      result = error
    } catch {
      result = MockServerError("The value expected of '\(resource)' cannot be encoded as JSON: \(error)")
    }
    if let result { try result.report(at: sourceLocation) }
  }

  private func difference(
    of resource: String, expected: JSONValue, actual: JSONValue?
  ) async -> MockServerError? {
    guard let actual else {
      do {
        _ = try await server.values(of: resource)
      } catch {
        return MockServerError("\(error)\nExpected \(expected)")
      }
      return MockServerError("'\(resource)' is gone; expected \(expected)")
    }
    let lines = JSONDifference.lines(expected: expected, actual: actual, path: resource)
    guard !lines.isEmpty else { return nil }
    return MockServerError(
      "'\(resource)' is not as expected:\n" + lines.map { "  \($0)" }.joined(separator: "\n"))
  }
}

extension Response: CustomTestStringConvertible {
  /// The status and the body: `404 {"error":"…"}`.
  public var testDescription: String {
    let text = json?.text(pretty: false) ?? String(validating: bytes, as: UTF8.self) ?? "(\(bytes.count) bytes)"
    return text.isEmpty ? "\(status.code)" : "\(status.code) \(text)"
  }
}

/// Says where in a resource something cannot be read: `bookmarks[3] (id 7): title: expected a string, found null`.
struct DecodingFailure: CustomStringConvertible {
  let description: String
  /// The record that cannot be read; the whole resource where it is none of several.
  let value: JSONValue

  /// - Parameters:
  ///   - error: What the decoding threw.
  ///   - resource: The resource's name.
  ///   - value: The resource as it is.
  init(_ error: any Error, in resource: String, _ value: JSONValue) {
    let context = Self.context(of: error)
    var path = context?.codingPath[...] ?? []
    var place = resource
    var record: JSONValue?
    if let position = path.first?.intValue, let element = value.array?.dropFirst(position).first {
      record = element
      path.removeFirst()
      place += "[\(position)]"
      if let id = element["id"] ?? element["_id"] { place += " (id \(id.plainText))" }
    }
    let steps = path.reduce(into: "") { text, key in
      if let position = key.intValue {
        text += "[\(position)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    let reason =
      switch error as? DecodingError {
      case .keyNotFound(let key, _)?: "there is no member '\(key.stringValue)'"
      case .typeMismatch(let type, let context)?, .valueNotFound(let type, let context)?:
        "expected \(type)"
          + (Self.value(at: context.codingPath, in: value).map { ", found \($0.description.prefix(80))" } ?? "")
      case _: context.map { Self.asClause($0.debugDescription) } ?? "\(error)"
      }
    description = ([place] + (steps.isEmpty ? [] : [steps]) + [reason]).joined(separator: ": ")
    self.value = record ?? value
  }

  /// The value at a path; `nil` where the decoder's keys are not the names of members.
  private static func value(at path: [any CodingKey], in value: JSONValue) -> JSONValue? {
    path.reduce(value) { value, key in key.intValue.map { value?[$0] } ?? value?[key.stringValue] }
  }

  private static func context(of error: any Error) -> DecodingError.Context? {
    switch error as? DecodingError {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      context
    case nil: nil
    @unknown default: nil
    }
  }

  /// A sentence as it stands after a colon.
  private static func asClause(_ sentence: String) -> String {
    let clause = sentence.prefix(1).lowercased() + sentence.dropFirst()
    return clause.hasSuffix(".") ? String(clause.dropLast()) : clause
  }
}

/// Finds where two JSON values differ; the order of members and the spelling of numbers make no difference.
enum JSONDifference {
  /// How deep a difference is looked for, and its path told: of deeper values it is said that they differ.
  private static let maximumDepth = 64

  /// Returns one line for each place where the values differ, with its path; empty when they are the same.
  ///
  /// - Parameters:
  ///   - actual: The value received; `nil` when there was none.
  ///   - isPart: Whether objects may have further members.
  static func lines(
    expected: JSONValue, actual: JSONValue?, path: String = "body", isPart: Bool = false, depth: Int = 0
  ) -> [String] {
    guard let actual else { return ["\(path): expected \(expected), is missing"] }
    func lines(_ expected: JSONValue, _ actual: JSONValue?, _ step: String) -> [String] {
      Self.lines(expected: expected, actual: actual, path: path + step, isPart: isPart, depth: depth + 1)
    }
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)) where depth < maximumDepth:
      let wanted = expected.flatMap { lines($0.value, actual[$0.name], ".\($0.name)") }
      let others = isPart ? [] : actual.filter { expected[$0.name] == nil }
      return wanted + others.map { "\(path).\($0.name): not expected, was \($0.value)" }
    case (.array(let expected), .array(let actual)) where depth < maximumDepth:
      let wanted = expected.enumerated().flatMap { index, element in
        lines(element, actual.dropFirst(index).first, "[\(index)]")
      }
      let others = actual.enumerated().dropFirst(expected.count)
      return wanted + others.map { "\(path)[\($0.offset)]: not expected, was \($0.element)" }
    case _ where expected == actual: return []
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
      return ["\(path): expected \(expected), was \(actual)"]
    }
  }
}
