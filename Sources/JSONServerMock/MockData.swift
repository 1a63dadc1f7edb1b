import JSONServer
public import JSONServerValues

/// The data that a test's server starts with; never written back.
///
/// A string literal is a file's path, a dictionary literal the resources:
///
/// ```swift
/// try await withJSONServer("fixtures/shop.json") { server in … }
/// try await withJSONServer(["bookmarks": [["id": 0, "title": "Swift"]]]) { server in … }
/// try await withJSONServer(.encoding(["bookmarks": bookmarks])) { server in … }
/// ```
public struct MockData: Sendable {
  /// Reads the data for a test whose source file is at a path.
  let source: @Sendable (_ sourcePath: String) throws -> Source

  /// A file of JSON or JSON5.
  ///
  /// - Parameter path: An absolute path; or one from the folder of the test's source file or, where there is no such
  ///   file, from the nearest folder above it, up to the one with `Package.swift`.
  public static func file(_ path: String) -> MockData {
    MockData { try contents(of: try locate(path, from: $0)) }
  }

  /// A file of JSON or JSON5 at a URL.
  public static func file(_ url: URL) -> MockData {
    MockData { _ in try contents(of: url) }
  }

  /// A file of JSON or JSON5 among the resources of a bundle.
  ///
  /// ```swift
  /// @Test(.jsonServer(.resource("shop.json", in: .module)))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The file's name, with the folders within the bundle before it.
  ///   - bundle: The bundle, such as `.module` for that of a package's target.
  public static func resource(_ name: String, in bundle: Bundle) -> MockData {
    let url = bundle.url(forResource: name, withExtension: nil)
    let path = bundle.bundlePath
    return MockData { _ in
      guard let url else { throw MockServerError("There is no resource '\(name)' in '\(path)'.") }
      return try contents(of: url)
    }
  }

  static func contents(of url: URL) throws(MockServerError) -> Source {
    .text(Array(try read(url)), name: url.lastPathComponent)
  }

  static func read(_ url: URL) throws(MockServerError) -> Data {
    do {
      return try Data(contentsOf: url)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      throw MockServerError("There is no file '\(url.path)'; check its path.")
    } catch {
      throw MockServerError(
        "'\(url.path)' cannot be read; check that it is a file, and its permissions.")
    }
  }

  /// A JSON object whose members are the resources.
  package static func json(_ value: JSONValue) -> MockData {
    MockData { _ in .value(value) }
  }

  /// A Swift value whose properties, or keys, are the resources.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoder: Encodes the value; what it throws is thrown at the server's start.
  public static func encoding(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) -> MockData {
    // At once, on the caller's actor: the type may be one that only that actor can encode.
    let encoded = Result { try JSONValue.encoding(value, encoder: encoder) }
    return MockData { _ in .value(try encoded.get()) }
  }

  static func locate(_ path: String, from sourcePath: String) throws(MockServerError) -> URL {
    let files = FileManager.default
    guard !path.hasPrefix("/") else { return URL(filePath: path) }
    let start = URL(filePath: sourcePath).deletingLastPathComponent()
    var folder = start
    while true {
      let candidate = folder.appending(path: path)
      if files.fileExists(atPath: candidate.path) { return candidate }
      let parent = folder.deletingLastPathComponent()
      guard !files.fileExists(atPath: folder.appending(path: "Package.swift").path), parent.path != folder.path else {
        throw MockServerError(
          "There is no '\(path)' in '\(start.path)', nor in the folders above it up to '\(folder.path)'.")
      }
      folder = parent
    }
  }
}

extension MockData: ExpressibleByStringLiteral {
  public init(stringLiteral path: String) { self = .file(path) }
}

extension MockData: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral resources: (String, JSONValue)...) { self = .json(.object(JSONObject(resources))) }
}
