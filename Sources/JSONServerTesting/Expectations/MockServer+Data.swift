import JSONServer
public import OrderedJSON

extension MockServer {
  /// Expects that a resource is equal to a Swift value: a collection to an array of records, an object to a record.
  ///
  /// ```swift
  /// try await server.expect("bookmarks", equals: [Bookmark(id: 2, title: "NIO")])
  /// ```
  ///
  /// The data is read as that type, so that members that it does not know make no difference. In Swift Testing, an unmet
  /// expectation is recorded as an issue and the test goes on; elsewhere it is thrown.
  ///
  /// - Parameters:
  ///   - resource: The resource's name.
  ///   - expected: What it should be.
  ///   - names: How the names of properties become the names of members.
  ///   - dates: How dates are written and read.
  ///   - isolation: The actor that the value is read on; the caller's.
  ///   - fileID: The place of the expectation, for the issue, as are the next three.
  ///   - filePath: The path of its file.
  ///   - line: Its line.
  ///   - column: Its column.
  /// - Throws: ``MockServerError`` with code `unmetExpectation` that shows the difference, member by member.
  public func expect<Value: Codable>(
    _ resource: String, equals expected: Value, names: JSONNameStrategy = .unchanged,
    dates: JSONDateStrategy = .iso8601, isolation: isolated (any Actor)? = #isolation,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws(MockServerError) {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let encoder = JSONValueEncoder(dates: dates, names: names)
    let stored = await server.value[resource]
    // What the type reads of the data, in the form in which it is expected.
    let read = { (stored: JSONValue) throws -> JSONValue in
      let value: Value
      do {
        value = try JSONValueDecoder(dates: dates, names: names).decode(Value.self, from: stored)
      } catch {
        let failure = DecodingFailure(error, in: resource, stored)
        throw MockServerError(
          .unmetExpectation, "'\(resource)' cannot be read as \(Value.self):\n  \(failure)\nThere is \(failure.value)")
      }
      return try encoder.encode(value)
    }
    let result: MockServerError?
    do {
      let wanted = try encoder.encode(expected)
      result = try Self.difference(of: resource, expected: wanted, actual: stored.map(read))
    } catch let error as MockServerError {
      result = error
    } catch {
      result = MockServerError(.unmetExpectation, "What '\(resource)' should be cannot be written as JSON: \(error)")
    }
    if let result { try place.report(result) }
  }

  /// Expects that a resource is equal to JSON; the order of members and the spelling of numbers make no difference.
  ///
  /// - Throws: ``MockServerError`` with code `unmetExpectation` that shows the difference, member by member, elsewhere than
  ///   in Swift Testing.
  public func expect(
    _ resource: String, equals expected: JSONValue,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws(MockServerError) {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let actual = await server.value[resource]
    if let error = Self.difference(of: resource, expected: expected, actual: actual) { try place.report(error) }
  }

  private static func difference(
    of resource: String, expected: JSONValue, actual: JSONValue?
  ) -> MockServerError? {
    guard let actual else {
      return MockServerError(.unmetExpectation, "There is no resource '\(resource)'; expected \(expected).")
    }
    let lines = JSONDifference.lines(expected: expected, actual: actual, path: resource)
    guard !lines.isEmpty else { return nil }
    return MockServerError(
      .unmetExpectation, "'\(resource)' is not as expected:\n" + lines.map { "  \($0)" }.joined(separator: "\n"))
  }
}
