import ArgumentParser
import Foundation
import JSONServerValues
import Testing

@testable import swift_json_server

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
  let files: JSONObject
  let cases: [Case]

  private let arguments: [String]
  /// The options of a suite whose arguments name none of its files. Debug builds take long to parse them, so each of the
  /// suite's cases starts from these.
  private let options: ServeCommand?

  /// The options that the suite names, of a command that runs in the directory of the suite's files.
  func options(in directory: URL) throws -> ServeCommand {
    try options ?? Self.parse(arguments.map { files[$0] == nil ? $0 : directory.appending(path: $0).path })
  }

  private static func parse(_ arguments: [String]) throws -> ServeCommand {
    try ServeCommand.parse(arguments + ["database.json"])
  }

  /// All suites of fixtures/conformance.
  static let all = Result {
    let conformance = fixtures.appending(path: "conformance")
    let folders = try contents(of: conformance).filter { $0.lastPathComponent.hasPrefix("suites") }
    return try folders.flatMap(contents).map { try Suite(file: $0) }
  }

  private static func contents(of directory: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }
  }

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../fixtures")
    .standardized

  private init(file: URL) throws {
    let suite = try JSONValue(parsing: Array(try Data(contentsOf: file)))
    name = file.deletingPathExtension().lastPathComponent
    database = suite["database"] ?? [:]
    arguments = suite["args"]?.array?.compactMap(\.string) ?? []
    files = suite["files"]?.object ?? JSONObject()
    options = Set(arguments).isDisjoint(with: files.names) ? try Self.parse(arguments) : nil
    cases = (suite["cases"]?.array ?? []).map { value in
      Case(
        name: value["name"]?.string ?? "", steps: value["steps"]?.array ?? [], database: value["database"],
        isOrdered: value["ordered"] == true)
    }
  }
}
