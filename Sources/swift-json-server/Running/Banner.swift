import JSONOpenAPI
import JSONServer
import JSONServerResources
import JSONServerValues

/// The text that is printed when the server starts.
struct Banner {
  let startup: Startup
  let resources: [ResourceDescription]
  let server: Server

  private var options: ServeCommand { startup.effective.options }
  private var source: String { LogText.escaped(options.shownSource) }

  // MARK: For programs

  /// The start as one JSON object.
  var json: String {
    let members: [(String, JSONValue)] = [
      ("url", .string(server.url)), ("addresses", .array(server.addresses.map(JSONValue.string))),
      ("source", .string(SecretText.source(options.source))), ("resources", .array(resources.map { .string($0.name) })),
    ]
    return EventFormatter.jsonLine("listening", .now, members).1
  }

  // MARK: For people

  /// The complete text.
  func text(_ style: LogStyle, hasKeys: Bool) -> String {
    let end = options.running.exec == nil ? "Ctrl-C stops it" : "it stops when the command ends"
    let title = "  \(style(.cyan, server.url)) serves \(style(.bold, source)); \(end)"
    var facts = [
      "swift-json-server \(JSONServerCommand.version)", "Listening on \(server.addresses.joined(separator: " and "))",
      keeping,
    ]
    if let url = options.stubbing.proxy {
      facts.append("Forwarding requests for unknown paths to \(LogText.escaped(url))")
    }
    if let path = options.stubbing.record { facts.append("Recording its responses in \(LogText.escaped(path))") }
    if options.data.watch, !startup.isInMemory { facts.append("Watching for edits") }
    if hasKeys { facts.append("Press \(style(.bold, "h")) for help") }
    return "\(title)\n\(urls(style))\n" + facts.map { "  \($0)\n" }.joined()
  }

  /// The addresses of all resources, or the paths of the OpenAPI document.
  func urls(_ style: LogStyle) -> String {
    if let rows = startup.configuration.contract?.document.rows {
      let lines = ["", "  \(style(.bold, "Operations"))"] + Self.lines(rows, style)
      return (lines + ["", "  \(style(.bold, "Home"))", "  \(style(.cyan, server.url))", ""]).joined(separator: "\n")
    }
    var lines = ["", "  \(style(.bold, "Resources"))"]
    let paths = resources.map { Self.path(to: $0.name) }
    let width = min(paths.map(LogText.width).max() ?? 0, 40)
    for (resource, path) in zip(resources, paths) {
      let space = LogText.padding(of: path, to: width) + "  "
      lines.append("  \(style(.cyan, server.url + path))\(space)\(style(.grey, Self.size(resource)))")
    }
    if resources.isEmpty { lines.append("  none yet; add one to the source, such as \"posts\": []") }
    lines += ["", "  \(style(.bold, "Other routes"))", "  \(style(.cyan, "\(server.url)/db"))"]
    for (pattern, target) in startup.configuration.routes {
      let target = LogText.escaped(target.string ?? target.description)
      lines.append("  \(LogText.escaped(pattern)) \(style(.grey, "→")) \(target)")
    }
    lines += ["", "  \(style(.bold, "Home"))", "  \(style(.cyan, server.url))", ""]
    return lines.joined(separator: "\n")
  }

  /// One line for each path of an OpenAPI document: what its operations are.
  static func lines(_ operations: [Document.Row], _ style: LogStyle) -> [String] {
    var paths: [(path: String, kinds: [(kind: String, methods: [String])])] = []
    for row in operations {
      if paths.last?.path != row.path { paths.append((row.path, [])) }
      let kind = row.kind == "refused" ? "refused, because \(row.detail ?? "")" : row.kind
      let kinds = paths[paths.count - 1].kinds
      if let index = kinds.firstIndex(where: { $0.kind == kind }) {
        paths[paths.count - 1].kinds[index].methods.append(row.method)
      } else {
        paths[paths.count - 1].kinds.append((kind, [row.method]))
      }
    }
    return paths.map { path, kinds in
      let text = kinds.map { "\($0.methods.joined(separator: " ")) \($0.kind)" }.joined(separator: "; ")
      return "  \(LogText.escaped(path))  \(style(.grey, LogText.escaped(text)))"
    }
  }

  /// A resource's path for people: only characters that a terminal or a client would not accept in an address are
  /// encoded.
  static func path(to name: String) -> String {
    let encoded = name.unicodeScalars.map { scalar in
      let isEnd = scalar.properties.isWhitespace || "%?#\"<>\\".unicodeScalars.contains(scalar)
      return isEnd ? PercentEncoding.encodeSegment(String(scalar)) : String(scalar)
    }
    return "/" + LogText.escaped(encoded.joined())
  }

  /// How changes are saved.
  private var keeping: String {
    if options.data.readOnly { return "Refusing changes" }
    if options.data.ephemeral || startup.isInMemory { return "Keeping changes in memory; nothing is written" }
    return switch options.data.sync ?? .full {
    case .full: "Saving each change to \(source) before responding"
    case .fast: "Saving each change to \(source); a power cut can lose the last ones"
    }
  }

  private static func size(_ resource: ResourceDescription) -> String {
    guard let count = resource.count else { return "object" }
    return count == 1 ? "1 record" : "\(LogText.grouped(count)) records"
  }
}
