import JSONDatabase
import OrderedJSON

// `--wrap data`: records inside an object, in responses and in what clients send.

extension EndpointResult {
  /// The body as an object that holds the content under a name, and beside a list how many records match.
  func wrapped(as name: String) -> SlicedText {
    var head = Array("{\n  ".utf8)
    let segments: [SlicedText.Segment]
    var total: Int?
    switch content {
    case .text(let text): segments = [.value(text, level: 1)]
    case .database(let text): segments = text.pretty.segments
    case .record(let record): segments = [.value(record.joined, level: 1)]
    case .list(let records):
      segments = [.records(records, level: 1)]
      total = self.total ?? records.count
    case .envelope(let page, let records):
      // 1.0's object holds its records under a name already; what it says of the pages stays beside them.
      for (member, value) in page.members where member != name {
        head += "\"\(member)\": \(value.map(String.init) ?? "null"),\n  ".utf8
      }
      segments = [.records(records, level: 1)]
      total = page.total
    }
    JSONText.appendEscaped(name, to: &head)
    head += ": ".utf8
    let tail = (total.map { ",\n  \"total\": \($0)" } ?? "") + "\n}"
    return SlicedText([.bytes(head)] + segments + [.bytes(Array(tail.utf8))])
  }
}

extension Endpoint {
  /// The same request with what its body holds under the name in which responses hold records.
  ///
  /// A body that is as it would be without the name stays: clients send either. So does one that means a member of that
  /// name, which the records of the resource have.
  func unwrapping(_ name: String, in database: inout Database) -> Endpoint {
    guard let resource, !database.hasMember(named: name, in: resource) else { return self }
    switch self {
    case .create(_, let body, let parent):
      guard let body = body.unwrapped(name) else { return self }
      let isMany = body.json.withToken { $0.kind == .array }
      return isMany && parent == nil && database.schema.dialect == .classic
        ? .createOrMerge(resource, bodies: body) : .create(resource, body: body, parent: parent)
    case .replace(_, let id, let body):
      return .replace(resource, id: id, body: body.unwrapped(name) ?? body)
    case .merge(_, let id, let body):
      return .merge(resource, id: id, body: body.unwrapped(name) ?? body)
    case .writeSingular(_, let body, let merging, let isPost):
      return .writeSingular(resource, body: body.unwrapped(name) ?? body, merging: merging, isPost: isPost)
    case .changeMany(_, let parameters, .merge(let body)):
      return .changeMany(resource, parameters, .merge(body.unwrapped(name) ?? body))
    case .database, .list, .record, .singular, .createOrMerge, .patch, .changeMany, .delete: return self
    }
  }
}

extension WrittenBody {
  /// What the only member of the body holds, when it has the name and holds an object or an array.
  fileprivate func unwrapped(_ name: String) -> WrittenBody? {
    let isAlone = json.withToken { json in
      guard var reader = ObjectReader(json), let member = reader.next() else { return false }
      return member.isNamed(Array(name.utf8)) && reader.next() == nil
    }
    guard !isText, isAlone, let content = json.member(Array(name.utf8)) else { return nil }
    switch content.withToken({ $0.kind }) {
    case .object, .array: return WrittenBody(content)
    case .null, .bool, .number, .string: return nil
    }
  }
}
