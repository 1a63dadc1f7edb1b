import JSONDatabase
import JSONDescription
import JSONServerValues

/// The text of a document, and those of the files beside it to which it refers.
struct DocumentFiles: Sendable {
  /// A value of a document, and its place.
  struct Node: Sendable {
    let value: JSONValue
    let file: String
    /// The place as a JSON Pointer in a fragment: `#/paths`.
    let pointer: String

    /// The name of the value in the object around it, or its position in the list.
    var name: String { path.last ?? "" }
    var path: [String] {
      let parts = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      return parts.map { JSONPointer.unescaped(String($0)) }
    }

    private func child(_ name: String, _ value: JSONValue) -> Node {
      Node(value: value, file: file, pointer: pointer + "/" + JSONPointer.escaped(name))
    }

    subscript(name: String) -> Node? { value[name].map { child(name, $0) } }

    var members: [(name: String, node: Node)] {
      (value.object ?? JSONObject()).map { ($0.name, child($0.name, $0.value)) }
    }

    var elements: [Node] { (value.array ?? []).enumerated().map { child(String($0), $1) } }

    /// The elements of a list in a member; none without the member.
    func list(_ name: String) throws(Fault) -> [Node] {
      guard let node = self[name] else { return [] }
      guard node.value.array != nil else {
        throw Fault(node: node, message: "'\(name)' is a list; write '- ' before each entry.")
      }
      return node.elements
    }

    /// The members of an object in a member; none without the member.
    func object(_ name: String) throws(Fault) -> [(name: String, node: Node)] {
      guard let node = self[name] else { return [] }
      guard node.value.object != nil else {
        throw Fault(node: node, message: "'\(name)' is an object; write 'name: value' below it.")
      }
      return node.members
    }
  }

  /// The reason why a part of a document cannot be used.
  struct Fault: Error {
    let node: Node
    let message: String
    /// Whether only what needs the part is refused, and not the whole document.
    var isLocal = false
  }

  private let read: @Sendable (String) -> [UInt8]?
  private var files: [String: (value: JSONValue, places: DocumentPlaces)] = [:]
  /// The targets of references, by the files and the references.
  private var targets: [String: [String: Node]] = [:]
  let root: Node

  /// Reads a document.
  ///
  /// - Parameter read: Reads a file that the document refers to; `nil` for a missing one.
  init(_ text: [UInt8], name: String, read: @escaping @Sendable (String) -> [UInt8]?) throws(DocumentFault) {
    self.read = read
    let file = try Self.read(text, name: name)
    files[name] = file
    root = Node(value: file.value, file: name, pointer: "#")
  }

  /// Reads a text, which must be JSON if its name says so.
  private static func read(
    _ text: [UInt8], name: String
  ) throws(DocumentFault) -> (value: JSONValue, places: DocumentPlaces) {
    var reader = YAMLReader(text, name: name)
    let value = try reader.document()
    guard name.hasSuffix(".json") else { return (value, DocumentPlaces(of: reader)) }
    do throws(JSONError) {
      _ = try ValidJSON(parsing: text)
    } catch {
      throw DocumentFault(
        file: name, line: error.line, column: error.column, offset: error.offset,
        message: "This is not JSON: \(error.message).")
    }
    return (value, DocumentPlaces(of: reader))
  }

  /// Takes a value that has no text.
  init(_ value: JSONValue) {
    read = { _ in nil }
    files[""] = (value, DocumentPlaces(in: [], name: ""))
    root = Node(value: value, file: "", pointer: "#")
  }

  /// The names of all files, the document first.
  var names: [String] { [root.file] + files.keys.filter { $0 != root.file }.sorted() }

  /// The fault with its line and column.
  func placed(_ fault: Fault) -> DocumentFault { placer()(fault) }

  /// Gives faults their lines and columns.
  func placer() -> (Fault) -> DocumentFault {
    var places = files.mapValues(\.places)
    return { fault in
      let file = fault.node.file
      return places[file, default: DocumentPlaces(in: [], name: file)].fault(fault.message, at: fault.node.path)
    }
  }

  /// Follows the reference of a value, and those of its target; returns the value itself without a reference.
  mutating func resolved(_ node: Node) throws(Fault) -> Node {
    var (node, count) = (node, 0)
    while let reference = node["$ref"], let text = reference.value.string {
      node = try target(of: text, at: reference)
      count += 1
      guard count < 32 else { throw Fault(node: reference, message: "The reference '\(text)' leads back to itself.") }
    }
    return node
  }

  /// The value to which a reference leads.
  mutating func target(of reference: String, at node: Node) throws(Fault) -> Node {
    if let known = targets[node.file]?[reference] { return known }
    let target = try find(reference, at: node)
    targets[node.file, default: [:]][reference] = target
    return target
  }

  private mutating func find(_ reference: String, at node: Node) throws(Fault) -> Node {
    guard !reference.contains("://") else {
      throw Fault(
        node: node,
        message: "The reference '\(reference)' is remote, and is not read; copy the file beside the document.",
        isLocal: true)
    }
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var file = node.file
    if let path = parts.first, !path.isEmpty {
      file = Self.join(node.file, String(path))
      if files[file] == nil {
        guard let text = read(file) else {
          throw Fault(
            node: node, message: "The file '\(file)' of the reference '\(reference)' cannot be read; check its name.")
        }
        do throws(DocumentFault) {
          files[file] = try Self.read(text, name: file)
        } catch {
          throw Fault(node: node, message: "The reference '\(reference)' leads to a file that cannot be read: \(error)")
        }
      }
    }
    let pointer = parts.count > 1 ? parts[1] : ""
    let path = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { name in
      JSONPointer.unescaped(String(name).withoutPercentEscapes)
    }
    let value = path.reduce(files[file]?.value) { value, name in value?[name] ?? Int(name).flatMap { value?[$0] } }
    guard let value, pointer.isEmpty || pointer.first == "/" else {
      let names = files[file]?.value["components"]?["schemas"]?.object?.names ?? []
      let meant = path.last.flatMap { Spelling.nearest(to: $0, among: names) }
      throw Fault(
        node: node,
        message: "the reference '\(reference)' has no target; "
          + (meant.map { "did you mean '\($0)'?" } ?? "correct it, or add the target"))
    }
    return Node(value: value, file: file, pointer: "#" + JSONPointer.text(path))
  }

  /// The path of a file that another one names.
  private static func join(_ file: String, _ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    var parts = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().map(String.init)
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(String(part)) }
    }
    return parts.joined(separator: "/")
  }
}

extension String {
  /// The text that percent-escapes stand for.
  var withoutPercentEscapes: String {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    var (bytes, rest) = ([UInt8](), utf8[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let code = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text as a segment of a path, or as a value in a query.
  var escapedSegment: String { percentEncoded(keeping: "-._~") }
}
