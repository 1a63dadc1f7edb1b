import Foundation
import HTTPTypes
import JSONServer
import OrderedJSON
import Testing

/// What the other servers of the suites are.
private struct Unreachable: Error {}

/// Plays the steps of a case against a server of its own.
struct Player {
  private let suite: Suite
  private let directory: URL
  private let server: Server
  private static let host = "127.0.0.1:3000"
  /// What steps took from their responses, for later steps: a token, an id.
  private var saved: [String: String] = [:]

  private init(suite: Suite, directory: URL, server: Server) {
    (self.suite, self.directory, self.server) = (suite, directory, server)
  }

  /// Starts a server over a fresh file with the suite's database.
  static func play(_ test: Suite.Case, of suite: Suite) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "database.json")
    try Data(suite.database.text().utf8).write(to: file)
    for (name, content) in suite.files {
      let path = directory.appending(path: name)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((content.string ?? content.text()).utf8).write(to: path)
    }
    let server = try await Server.load(try configuration(suite, in: directory, file: file.path))
    var player = Player(suite: suite, directory: directory, server: server)
    for step in test.steps { try await player.play(step, ordered: test.isOrdered) }
    await server.stop()
    if let expected = test.database {
      let actual = try JSONValue(parsing: Array(try Data(contentsOf: file)))
      #expect(Expectation.matches(expected, actual, ordered: test.isOrdered), "the file holds \(actual.text())")
    }
  }

  /// The few options that the suites use.
  private static func configuration(
    _ suite: Suite, in directory: URL, file: String
  ) throws -> Server.Configuration {
    var configuration = Server.Configuration(source: .file(file))
    var arguments = suite.arguments[...]
    while let option = arguments.popFirst() {
      if option == "--read-only" {
        configuration.isReadOnly = true
        continue
      }
      if option == "--strict" {
        configuration.isStrict = true
        continue
      }
      if option == "--sessions" {
        configuration.hasSessions = true
        continue
      }
      let value = arguments.popFirst() ?? ""
      switch option {
      case "--id": configuration.idName = value
      case "--wrap": configuration.wrapName = value
      case "--auth":
        var signIn = configuration.signIn ?? Server.SignIn()
        signIn.users = value
        configuration.signIn = signIn
      case "--guard":
        let parts = value.split(separator: "=").map(String.init)
        let rule: Guard = try #require(Guard(parts[1]))
        configuration.signIn = configuration.signIn ?? Server.SignIn()
        configuration.signIn?.guards[parts[0]] = rule
      case "--foreignKeySuffix": configuration.foreignKeySuffix = value
      case "--compat": configuration.dialect = try #require(Server.Configuration.Dialect(rawValue: value))
      case "--routes": configuration.routes = try #require(suite.files[value]?.object)
      case "--stubs": configuration.stubsFile = directory.appending(path: value).path
      case "--proxy":
        configuration.upstream = try Upstream(value) { _, _ in throw Unreachable() }
      default: Issue.record("the suite \(suite.name) uses \(option), which the player does not know")
      }
    }
    return configuration
  }

  private mutating func play(_ step: JSONValue, ordered: Bool) async throws {
    let request = try request(of: filled(step))
    let response = await server.respond(to: request)
    let expected = try #require(step["expect"])
    let body = String(decoding: response.bytes, as: UTF8.self)
    let label = "\(request.method) \(request.target): \(response.status.code) \(body.prefix(300))"
    if let status = expected["status"]?.integer { #expect(response.status.code == status, "\(label)") }
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
      request.body = Array(json.text(pretty: false).utf8)
      request.headerFields[.contentType] = "application/json"
    } else if let form = step["form"]?.object {
      request.body = Array(Self.encode(form).utf8)
      request.headerFields[.contentType] = "application/x-www-form-urlencoded"
    } else if let body = step["body"]?.string {
      request.body = Array(body.utf8)
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
