import JSONServer
import OrderedJSON

/// What is told when the server listens.
struct Banner {
  private let options: ServeOptions
  private let resources: [ResourceDescription]
  private let url: String
  private let addresses: [String]

  init(_ options: ServeOptions, resources: [ResourceDescription], url: String, addresses: [String]) {
    self.options = options
    self.resources = resources
    self.url = url
    self.addresses = addresses
  }

  /// The address alone.
  var address: String { url }

  /// The start as one JSON object.
  var json: String {
    let members: [(String, JSONValue)] = [
      ("url", .string(url)), ("addresses", .array(addresses.map(JSONValue.string))),
      ("source", .string(options.source)), ("resources", .array(resources.map { .string($0.name) })),
    ]
    return JSONLinesFormatter.line("listening", .now, members).1
  }

  /// The start for a person.
  func text(_ style: LogStyle) -> String {
    var lines = [
      "",
      "  \(style(.bold, "swift-json-server")) \(style(.grey, JSONServerCommand.version))  \(LogText.escaped(options.source))",
      "",
    ]
    lines.append("  \(style(.bold, "Resources"))")
    let width = resources.map { $0.name.count }.max() ?? 0
    for resource in resources {
      let space = String(repeating: " ", count: width - resource.name.count + 2)
      lines.append(
        "  \(style(.cyan, "\(url)/\(LogText.escaped(resource.name))"))\(space)\(style(.grey, Self.size(resource)))")
    }
    if resources.isEmpty { lines.append("  none yet; add one to the file, such as \"posts\": []") }
    lines += ["", "  \(style(.bold, "Home"))", "  \(style(.cyan, url))", ""]
    lines.append("  Listening on \(addresses.joined(separator: " and "))")
    lines.append("  \(keeping)")
    if options.watch { lines.append("  Watching for edits") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How changes are kept.
  private var keeping: String {
    if options.readOnly { return "Changes are refused" }
    if options.ephemeral { return "Changes stay in memory; nothing is written" }
    return switch options.sync ?? .full {
    case .full: "Changes are written to \(options.source), and are safe from a power cut once answered"
    case .fast: "Changes are written to \(options.source), and are safe from a crash of this process once answered"
    }
  }

  private static func size(_ resource: ResourceDescription) -> String {
    guard let count = resource.count else { return "object" }
    return count == 1 ? "1 record" : "\(count) records"
  }
}
