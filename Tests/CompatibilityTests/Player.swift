import Foundation
import HTTPTypes
import JSONServer
import JSONServerValues
import Testing

@testable import swift_json_server

/// Where the server of a case keeps its data.
enum Store: Sendable {
  case file
  case memory
  /// A schema of a database; its address without one.
  case postgreSQL(String)
}

/// Plays the steps of a case against a server of its own, which has the options of the command that the suite names.
struct Player {
  private let server: Server
  private static let host = "127.0.0.1:3000"
  /// What steps took from their responses, for later steps: a token, an id.
  private var saved: [String: String] = [:]

  private init(server: Server) { self.server = server }

  /// Starts a server with the suite's database in a fresh place, and compares what is there after the last step.
  static func play(_ test: Suite.Case, of suite: Suite, in store: Store) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "database.json")
    let text = Array(suite.database.text().utf8)
    try Data(text).write(to: file)
    for (name, content) in suite.files {
      let path = directory.appending(path: name)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((content.string ?? content.text()).utf8).write(to: path)
    }
    var options = try suite.options(in: directory)
    options.source = file.path
    if case .postgreSQL(let address) = store {
      options.data.seed = file.path
      options.source =
        "\(address)?schema=\(directory.lastPathComponent.replacing("-", with: "_").lowercased())"
    }
    let log = LogWriter(options) { _, _ in }
    var configuration = try await Startup(EffectiveOptions(options), log: log).configuration
    if case .memory = store {
      configuration.source = .text(text, name: file.path)
      try FileManager.default.removeItem(at: file)
    }
    let server = try await Server.load(configuration)
    var player = Player(server: server)
    for step in test.steps { try await player.play(step, ordered: test.isOrdered) }
    let value = await server.value
    await server.stop()
    guard let expected = test.database else { return }
    let actual =
      switch store {
      case .file: try JSONValue(parsing: Array(try Data(contentsOf: file)))
      case .memory: value
      case .postgreSQL: try JSONValue(parsing: try await Server.exportDatabase(options.source))
      }
    #expect(Expectation.matches(expected, actual, ordered: test.isOrdered), "the store holds \(actual.text())")
  }

  private mutating func play(_ step: JSONValue, ordered: Bool) async throws {
    let request = try request(of: filled(step))
    let response = await server.respond(to: request)
    let expected = try #require(step["expect"])
    let body = String(decoding: response.bytes, as: UTF8.self)
    let label = "\(request.method) \(request.target): \(response.status.code) \(body.prefix(300))"
    if let status = expected["status"]?.int { #expect(response.status.code == status, "\(label)") }
    for (name, wanted) in expected["headers"]?.object ?? JSONObject() {
      check(response.headerFields, name, wanted, label)
    }
    guard request.method != .head else { return }
    if let json = expected["json"] {
      let actual = try JSONValue(parsing: response.bytes)
      #expect(Expectation.matches(json, actual, ordered: ordered), "\(label), expected \(json.text(pretty: false))")
    }
    if let text = expected["text"]?.string { #expect(body == text) }
    for (name, path) in step["save"]?.object ?? JSONObject() {
      let value = (path.string ?? "").split(separator: ".").reduce(try JSONValue(parsing: response.bytes)) {
        value, part in
        value[String(part)] ?? Int(part).flatMap { value[$0] } ?? .null
      }
      saved[name] = value.string ?? value.text()
    }
  }

  /// A step with the saved values in the place of their names.
  private func filled(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null, .bool, .number: return value
    case .string(let text): return .string(saved.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) })
    case .array(let elements): return .array(elements.map(filled))
    case .object(let members): return .object(JSONObject(members.map { ($0, $0 == "expect" ? $1 : filled($1)) }))
    }
  }

  private func request(of step: JSONValue) throws -> Request {
    var request = Request(
      method: try #require(HTTPRequest.Method(step["method"]?.string ?? "GET")),
      target: try #require(step["path"]?.string))
    request.headerFields[try #require(HTTPField.Name("Host"))] = Self.host
    for (name, value) in step["headers"]?.object ?? JSONObject() {
      request.headerFields[try #require(HTTPField.Name(name))] = value.string
    }
    if let json = step["json"] {
      request.bytes = Array(json.text(pretty: false).utf8)
      request.headerFields[.contentType] = "application/json"
    } else if let form = step["form"]?.object {
      request.bytes = Array(Self.encode(form).utf8)
      request.headerFields[.contentType] = "application/x-www-form-urlencoded"
    } else if let body = step["body"]?.string {
      request.bytes = Array(body.utf8)
    }
    return request
  }

  private static func encode(_ form: JSONObject) -> String {
    let pairs = form.flatMap { name, value in (value.array ?? [value]).map { (name, $0.string ?? $0.text()) } }
    return pairs.map { name, value in "\(escape(name))=\(escape(value))" }.joined(separator: "&")
  }

  private static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  private func check(_ fields: HTTPFields, _ name: String, _ wanted: JSONValue, _ label: String) {
    let actual = HTTPField.Name(name).flatMap { fields[$0] }
    switch wanted {
    case .null: #expect(actual == nil, "\(label): \(name) should be absent")
    case .string(let text):
      let expected = text.replacing("{base}", with: "http://\(Self.host)")
      #expect(actual.map(Self.normalized) == Self.normalized(expected), "\(label): \(name)")
    case .object(let pattern):
      let matches = actual.map { Expectation.text($0, matches: pattern["$re"]?.string ?? "") } ?? false
      #expect(matches, "\(label): \(name) is \(actual ?? "absent"), expected \(pattern)")
    case .bool, .number, .array: Issue.record("\(name) is compared with \(wanted.text())")
    }
  }

  private static func normalized(_ value: String) -> String {
    value.replacing(" ", with: "").lowercased()
  }
}
