import OrderedJSON

/// The stubs of a file: an array of what is sent to `/__admin/stubs`.
struct StubsFile: Sendable {
  let stubs: [(stub: Stub, matcher: RequestMatcher)]
  /// The files whose contents the stubs have as bodies.
  let bodyFiles: [String]

  /// Reads a file, and those that it names. Blocks until that is done.
  ///
  /// - Parameter isIgnored: Whether stubs with a pattern are left out.
  /// - Throws: ``ServerError`` with code `invalidConfiguration` that names the file, and the place of a fault in it.
  init(
    path: String, files: BodyFiles, ignoring isIgnored: ((RequestPattern) -> Bool)? = nil
  ) throws(ServerError) {
    guard let file = OpenFile(path: path), file.isRegular else {
      throw ServerError(
        .invalidConfiguration, "\(path): the file cannot be read; check its name and its permissions.")
    }
    try self.init(parsing: file.read(from: 0, count: file.size), path: path, files: files, ignoring: isIgnored)
  }

  /// Reads a file's text.
  init(
    parsing text: [UInt8], path: String, files: BodyFiles, ignoring isIgnored: ((RequestPattern) -> Bool)? = nil
  ) throws(ServerError) {
    let document: ValidJSON
    do throws(JSONError) {
      document = try ValidJSON(parsing: text)
    } catch {
      throw ServerError(
        .invalidConfiguration, "\(path):\(error.description)", excerpt: Excerpt(of: text, at: error.offset).text)
    }
    let all: [(stub: Stub, matcher: RequestMatcher)]
    do throws(RequestError) {
      all = try Self.stubs(JSONValue(document), files: files)
    } catch {
      let offset = Self.offset(of: error.place, in: document, text)
      let place = text.withUnsafeBufferPointer { TextPosition(offset: offset, in: $0) }
      throw ServerError(
        .invalidConfiguration, "\(path):\(place.line):\(place.column): \(error.message)",
        excerpt: Excerpt(of: text, at: offset).text)
    }
    stubs = isIgnored.map { isIgnored in all.filter { !isIgnored($0.stub.request) } } ?? all
    let directory = files.directory ?? "."
    bodyFiles = Set(all.flatMap { $0.stub.bodyFiles }).sorted().map { "\(directory)/\($0)" }
  }

  private static func stubs(
    _ document: JSONValue, files: BodyFiles
  ) throws(RequestError) -> [(stub: Stub, matcher: RequestMatcher)] {
    guard let elements = document.array else {
      throw RequestError(.malformed, "The file must hold an array of stubs, such as [].")
    }
    var stubs: [(stub: Stub, matcher: RequestMatcher)] = []
    for (index, element) in elements.enumerated() {
      guard let members = element.object else {
        throw RequestError(.malformed, "A stub must be an object.", at: [String(index)])
      }
      do throws(RequestError) {
        let stub = try Stub(AdminBody(members), files: files)
        stubs.append((stub, try Stubs.matcher(of: stub)))
      } catch {
        throw RequestError(error.code, error.message, at: [String(index)] + error.place)
      }
    }
    return stubs
  }

  /// Where a value is in the text: the innermost that exists on the way to it.
  private static func offset(of place: [String], in document: ValidJSON, _ text: [UInt8]) -> Int {
    let start = document.withToken { whole in
      var value = whole
      for step in place {
        if let member = value.member(Array(step.utf8)) {
          value = member
        } else if let position = Int(step),
          let element = ArrayReader(value)?.dropFirst(position).first(where: { _ in true })
        {
          value = element
        } else {
          break
        }
      }
      return value.offset(in: whole)
    }
    // The document is the text without the white space and the byte order mark before its value.
    return start + (text.firstIndex { $0 > UInt8(ascii: " ") && $0 < 0x80 } ?? 0)
  }
}

extension Stub {
  /// The names of the files whose contents it has as bodies.
  fileprivate var bodyFiles: [String] {
    guard case .responses(let responses) = action else { return [] }
    return responses.compactMap { response in
      if case .file(let name, _)? = response.body { name } else { nil }
    }
  }
}
