import Foundation
import JSONServerValues
import Testing

/// A suite of recorded exchanges; the form is described in fixtures/conformance/conform.py.
struct Suite: Sendable {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [JSONValue]
    /// What the file must hold afterwards; `nil` when it is not checked.
    let database: JSONValue?
    /// Whether the order of members counts.
    let isOrdered: Bool

    var testDescription: String { name }
  }

  let name: String
  let database: JSONValue
  let arguments: [String]
  let files: JSONObject
  let cases: [Case]

  /// The folders of fixtures/conformance that hold suites.
  static var folders: [String] {
    get throws {
      let conformance = fixtures.appending(path: "conformance").path
      return try FileManager.default.contentsOfDirectory(atPath: conformance).filter { $0.hasPrefix("suites") }.sorted()
    }
  }

  /// Reads all suites of a folder of fixtures/conformance.
  static func all(in folder: String) throws -> [Suite] {
    let directory = fixtures.appending(path: "conformance/\(folder)")
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    return try files.sorted { $0.path < $1.path }.map { try Suite(file: $0) }
  }

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../fixtures")
    .standardized

  private init(file: URL) throws {
    let suite = try JSONValue(parsing: Array(try Data(contentsOf: file)))
    name = file.deletingPathExtension().lastPathComponent
    database = suite["database"] ?? [:]
    arguments = suite["args"]?.array?.compactMap(\.string) ?? []
    files = suite["files"]?.object ?? JSONObject()
    cases = (suite["cases"]?.array ?? []).map { value in
      Case(
        name: value["name"]?.string ?? "", steps: value["steps"]?.array ?? [], database: value["database"],
        isOrdered: value["ordered"] == true)
    }
  }
}
