package import JSONDatabase
package import JSONServerValues

/// An OpenAPI document (3.0 and 3.1), as a table of operations, schemas and collections.
package final class Document: Sendable {
  /// The texts of the document and of the files beside it.
  let files: DocumentFiles
  package let schema: JSONSchema
  package let operations: [Operation]
  package let collections: [Collection]
  /// The positions of the operations of each collection.
  let stored: [[Int]]
  /// The place of each operation.
  let places: [DocumentFiles.Node]
  let paths: PathTree
  /// The path of the first server, which requests may have or leave out.
  let prefix: [String]
  /// How schemas show records.
  let views = RecordViews()
  /// What is wrong, and keeps nothing from being served.
  let faults: [DocumentFiles.Fault]

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - name: The file's name, for messages and for files beside it.
  ///   - read: Reads a file that the document refers to; `nil` for a missing one.
  /// - Throws: The first fault that leaves nothing to serve.
  package init(
    _ text: [UInt8], name: String, read: @escaping @Sendable (String) -> [UInt8]? = { _ in nil }
  ) throws(DocumentFault) {
    var reader = DocumentReader(try DocumentFiles(text, name: name, read: read))
    do throws(DocumentFiles.Fault) {
      try reader.read()
    } catch {
      throw reader.files.placed(error)
    }
    (files, schema, operations, collections) = (
      reader.files, reader.schemas.schema, reader.operations, reader.collections
    )
    (places, paths, prefix) = (reader.places, reader.paths, Self.prefix(of: reader.files.root.value))
    var stored = [[Int]](repeating: [], count: reader.collections.count)
    for (position, operation) in reader.operations.enumerated() {
      if let storage = operation.storage { stored[storage.collection].append(position) }
    }
    self.stored = stored
    faults = reader.notes
    if let fault = Self.refusal(of: operations) { throw fault }
  }

  /// The document itself, for those who read it.
  package var value: JSONValue { files.root.value }
  /// The names of its files, the document first.
  package var fileNames: [String] { files.names }

  /// The fault of the first operation, when no operation can be served.
  private static func refusal(of operations: [Operation]) -> DocumentFault? {
    var first: DocumentFault?
    for operation in operations {
      guard case .refused(let fault) = operation.kind else { return nil }
      first = first ?? fault
    }
    return first
  }

  private static func prefix(of root: JSONValue) -> [String] {
    guard let server = root["servers"]?[0], var url = server["url"]?.string else { return [] }
    for (name, variable) in server["variables"]?.object ?? JSONObject() {
      url = url.replacing("{\(name)}", with: variable["default"]?.string ?? "")
    }
    if let range = url.firstRange(of: "://") {
      let rest = url[range.upperBound...]
      url = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
    }
    return url.prefix { $0 != "?" }.split(separator: "/").map(String.init)
  }

  /// The methods of a path, and the values of its parameters.
  package struct Match: Sendable {
    /// The positions of the operations.
    package let operations: [Int]
    package let parameters: [(name: String, value: String)]
  }

  /// Finds a path, with or without the beginning that the document's first server has.
  package func match(_ segments: [String]) -> Match? {
    if let match = paths.match(segments[...]) { return match }
    guard !prefix.isEmpty, segments.starts(with: prefix) else { return nil }
    return paths.match(segments.dropFirst(prefix.count))
  }
}

extension Document {
  /// Whether a path leads to a stored item, and the item is not there.
  package func lacksRecord(_ segments: [String], in database: Database) -> Bool {
    guard let match = match(segments), let id = match.parameters.last?.value,
      let storage = match.operations.compactMap({ operations[$0].storage }).first(where: \.isOfItem),
      !collections[storage.collection].isObject
    else { return false }
    return (try? database.record(id, in: collections[storage.collection].name)) == nil
  }
}

/// The paths of a document by their segments: a fixed segment comes before a parameter.
struct PathTree: Sendable {
  private var fixed: [String: PathTree] = [:]
  /// The segments with a parameter, each with the texts around it.
  private var variable: [(before: String, after: String, tree: PathTree)] = []
  private var operations: [Int]?
  private var names: [String] = []

  mutating func insert(_ segments: ArraySlice<String>, _ operations: [Int], names: [String] = []) {
    guard let segment = segments.first else {
      (self.operations, self.names) = (operations, names)
      return
    }
    guard let (before, name, after) = Self.parts(of: segment) else {
      fixed[segment, default: PathTree()].insert(segments.dropFirst(), operations, names: names)
      return
    }
    let position = variable.firstIndex { $0.before == before && $0.after == after } ?? variable.count
    if position == variable.count { variable.append((before, after, PathTree())) }
    variable[position].tree.insert(segments.dropFirst(), operations, names: names + [name])
    // The longer text around a parameter says more.
    variable.sort { $0.before.count + $0.after.count > $1.before.count + $1.after.count }
  }

  /// The parameter of a segment, and the texts around it; `nil` for a fixed segment.
  static func parts(of segment: String) -> (before: String, name: String, after: String)? {
    guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}"), open < close else {
      return nil
    }
    return (
      String(segment[..<open]), String(segment[segment.index(after: open)..<close]),
      String(segment[segment.index(after: close)...])
    )
  }

  func match(_ segments: ArraySlice<String>, _ values: [String] = []) -> Document.Match? {
    guard let segment = segments.first else {
      return operations.map { Document.Match(operations: $0, parameters: Array(zip(names, values))) }
    }
    let rest = segments.dropFirst()
    if let match = fixed[segment]?.match(rest, values) { return match }
    for (before, after, tree) in variable where segment.hasPrefix(before) && segment.hasSuffix(after) {
      let isWhole = before.isEmpty && after.isEmpty
      let value = isWhole ? segment : String(segment.dropFirst(before.count).dropLast(after.count))
      guard !value.isEmpty else { continue }
      if let match = tree.match(rest, values + [value]) { return match }
    }
    return nil
  }
}
