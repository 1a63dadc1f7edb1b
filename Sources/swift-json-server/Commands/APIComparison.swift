import ArgumentParser
import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONServer
import JSONServerValues

/// The options for header fields of requests to another server.
struct HeaderOptions: ParsableArguments {
  @Option(
    name: [.customShort("H"), .long],
    help: ArgumentHelp(
      "A header field of each request; repeatable. $NAME in single quotes is an environment variable: 'Authorization: Bearer $TOKEN'.",
      valueName: "field"))
  var header: [String] = []

  /// The fields, with the values of environment variables.
  ///
  /// - Throws: ``CommandFailure``, which shows no value, since a value may be a secret.
  var fields: HTTPFields {
    get throws(CommandFailure) {
      var fields: HTTPFields = [:]
      for text in header {
        guard let colon = text.firstIndex(of: ":"), let name = HTTPField.Name(String(text[..<colon])) else {
          throw CommandFailure(
            .usage, "--header: a field needs a name and a colon; write it as 'Authorization: Bearer $TOKEN'.")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        fields.append(HTTPField(name: name, value: try Self.expanded(value, of: name)))
      }
      if !fields.contains(.accept) { fields[.accept] = "application/json" }
      if !fields.contains(.userAgent) { fields[.userAgent] = "swift-json-server/\(Server.version)" }
      return fields
    }
  }

  /// Replaces `$NAME` and `${NAME}` with the values of variables; `$$` is a `$`.
  private static func expanded(_ text: Substring, of field: HTTPField.Name) throws(CommandFailure) -> String {
    let variables = ProcessInfo.processInfo.environment
    let mark = /(?s)\$(?:\{([_A-Za-z0-9]+).?|([_A-Za-z0-9]+)|\$)?/
    let names = text.matches(of: mark).compactMap { ($0.1 ?? $0.2).map(String.init) }
    if let name = names.first(where: { variables[$0] == nil }) {
      throw CommandFailure(
        .usage, "--header: \(field) needs the variable \(name), which is not set; set it, or write $$ for a $.")
    }
    return String(text.replacing(mark) { match in (match.1 ?? match.2).flatMap { variables[String($0)] } ?? "$" })
  }
}

/// The options for comparing a file with an API.
struct ComparisonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compare the data's shape with the API at this address, such as https://api.example.com.", valueName: "url"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "The API's path of a resource, as in posts=/v2/articles; posts= leaves posts out. Repeatable. (default: /posts)",
      valueName: "resource=path"))
  var path: [String] = []

  @OptionGroup var headers: HeaderOptions

  func validate() throws {
    guard against != nil || path.isEmpty && headers.header.isEmpty else {
      throw ValidationError("--path and --header are for an API; name it with --against.")
    }
  }

  /// The largest response in bytes, and the largest number of list elements that are compared.
  private static let (maximumBytes, maximumSamples) = (64 * 1024 * 1024, 1_000)

  /// Reads samples of each resource, and compares the data with them.
  ///
  /// - Parameter text: The file's text, which is valid.
  /// - Returns: The differences in the file's order.
  /// - Throws: ``CommandFailure`` for an invalid option, and when the API does not respond.
  func differences(in text: [UInt8], _ schema: Schema) async throws(CommandFailure) -> [ShapeComparison.Difference] {
    guard let against, let document = try? ValidJSON(parsing: text) else { return [] }
    let resources = (document.members ?? []).filter { $0.name != "$schema" }
    let base = try CommandFailure.translating("--against: ") { () throws(ServerError) in
      try UpstreamAddress(against).text
    }
    let (paths, fields) = (try paths(for: resources.map(\.name)), try headers.fields)
    let curl = Curl(maximumBytes: Self.maximumBytes, limitName: "give a --path with a query that asks for less")
    var differences: [ShapeComparison.Difference] = []
    for (name, nameOffset, value) in resources {
      let path = paths[name] ?? "/" + PercentEncoding.encodeSegment(name)
      guard !path.isEmpty else { continue }
      let download = try ResourceDownload(base + path, fields: fields, curl: curl)
      let place = download.place
      guard let sample = try await download.sample() else {
        let remedy = "say where the API has it with --path \(name)=/…, or leave it out with --path \(name)="
        differences.append(("\"\(name)\" is not at \(place); \(remedy)", nameOffset))
        continue
      }
      if let own = value.elements, let list = sample.list(of: name) {
        let samples = try await samples(of: list, at: download, idName: schema.idName(of: name))
        differences += ShapeComparison.differences(of: own, named: name, from: samples, at: place)
      } else {
        let samples = [(place: place, value: value.kind == .object ? sample.object : sample)]
        differences += ShapeComparison.differences(of: [value], named: name, from: samples, at: place)
      }
    }
    return differences.sorted { ($0.offset, $0.message) < ($1.offset, $1.message) }
  }

  /// The elements of a list, and the first record from its own address, which may have more members.
  private func samples(
    of list: [ValidJSON], at download: ResourceDownload, idName: String
  ) async throws(CommandFailure) -> [ShapeComparison.Sample] {
    var samples: [ShapeComparison.Sample] = []
    for (index, value) in list.prefix(Self.maximumSamples).enumerated() {
      guard let id = value.id([idName]) else {
        samples.append(("\(download.place) (element \(index + 1))", value))
        continue
      }
      let record = try download.record(id)
      samples.append((record.place, value))
      if index == 0, let whole = try? await record.sample()?.object, whole.kind == .object {
        samples.append((record.place, whole))
      }
    }
    return samples
  }

  /// The paths of `--path`, by resource.
  private func paths(for names: [String]) throws(CommandFailure) -> [String: String] {
    var paths: [String: String] = [:]
    for argument in path {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts[1].isEmpty || parts[1].hasPrefix("/") else {
        throw CommandFailure(.usage, "--path: '\(argument)' names no path; write it as posts=/v2/articles.")
      }
      guard names.contains(parts[0]) else {
        throw CommandFailure(
          .usage, "--path: the file has no resource '\(parts[0])'; it has \(names.joined(separator: ", ")).")
      }
      paths[parts[0]] = parts[1]
    }
    return paths
  }
}

extension ValidJSON {
  /// The records of a response: its elements, or those of its list with the name of the resource or `data`.
  func list(of name: String) -> [ValidJSON]? {
    if let elements { return elements }
    return [name, "data", "items", "results", "records"].lazy.compactMap { self.member(Array($0.utf8))?.elements }
      .first { $0.allSatisfy { $0.kind == .object } }
  }

  /// The value itself, or the member `data` if it is the only one and an object.
  var object: ValidJSON {
    guard let members, members.count == 1, members[0].name == "data", members[0].value.kind == .object else {
      return self
    }
    return members[0].value
  }

  /// The text of the first of some members that is a number or a string.
  func id(_ names: [String]) -> String? {
    guard let id = names.lazy.compactMap({ self.member(Array($0.utf8)) }).first else { return nil }
    return id.kind == .number ? id.string : JSONValue(id).string
  }
}
