import HTTPTypes
import JSONServer
import JSONServerValues

/// The resources in the responses of an HTTP archive: lists, records by their ids, and objects.
struct ArchivedResources {
  /// The paths above the collections, such as `/api/v2`.
  private(set) var bases: Set<String> = []
  /// The resources' names in the order of their first appearance.
  private var names: [String] = []
  private var records: [String: [JSONObject]] = [:]
  private var objects: [String: ValidJSON] = [:]
  private var positions: [String: [String: Int]] = [:]
  /// The records without an id.
  private var anonymous: [String: Set<JSONValue>] = [:]

  /// Reads the successful JSON responses to GET. A later response to a record replaces an earlier one.
  ///
  /// - Parameter addresses: The addresses below which to read; empty for all addresses.
  init(_ exchanges: [HARFile.Exchange], within addresses: [UpstreamAddress]) {
    for exchange in exchanges where exchange.request.method == .get && 200...299 ~= exchange.response.status.code {
      let address = exchange.origin + exchange.request.target
      let path = URL(string: address)?.pathComponents.filter { $0 != "/" } ?? []
      guard addresses.isEmpty || addresses.contains(where: { $0.moved(address, to: "") != nil }), var name = path.last,
        !path.contains(where: { $0.contains("/") }), let value = try? ValidJSON(parsing: exchange.response.bytes)
      else { continue }
      if name.hasSuffix(".json"), name.count > 5 { name.removeLast(5) }
      if let list = value.list(of: name), !list.isEmpty || value.kind == .array {
        if list.allSatisfy({ $0.kind == .object }) { add(list, to: name, below: path.dropLast()) }
      } else if path.count > 1, value.object.recordID == name {
        add([value.object], to: path[path.count - 2], below: path.dropLast(2))
      } else if value.kind == .object, name.contains(where: \.isLetter) {
        names.append(name)
        objects[name] = value
      }
    }
  }

  var contents: [(name: String, content: ResourceDownload.Content)] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }.compactMap {
      name -> (name: String, content: ResourceDownload.Content)? in
      if let records = records[name] { return (name, .records(records.map { ValidJSON(writing: .object($0)) })) }
      return objects[name].map { (name, .object($0)) }
    }
  }

  /// Adds records to a collection. An existing record gets missing members and newer values: a list may have fewer
  /// members of a record than the record's own address.
  private mutating func add(_ list: [ValidJSON], to name: String, below path: ArraySlice<String>) {
    names.append(name)
    bases.insert(path.map { "/\($0)" }.joined())
    var all = records[name] ?? []
    // A list that was loaded twice, or whose pages overlap, has the same records again.
    let known = anonymous[name] ?? []
    for value in list {
      guard let record = JSONValue(value).object else { continue }
      if let id = value.recordID, let position = positions[name]?[id] {
        for (member, value) in record { all[position][member] = value }
      } else {
        if let id = value.recordID {
          positions[name, default: [:]][id] = all.count
        } else if known.contains(.object(record)) {
          continue
        } else {
          anonymous[name, default: []].insert(.object(record))
        }
        all.append(record)
      }
    }
    records[name] = all
  }
}

extension ValidJSON {
  /// The text of the id that identifies a record.
  fileprivate var recordID: String? { id(["id", "_id"]) }
}
