package import JSONServerValues

/// A document that is being changed at places that pointers name.
///
/// The messages of its errors are ends of sentences, which begin with the operation of a patch.
struct DocumentDraft {
  private(set) var document: JSONValue
  /// The bytes of the document without white space.
  private var count: Int
  private let maximumCount: Int
  private let maximumGrowth: Int
  private let maximumDepth: Int
  private let maximumSize: Int
  /// The bytes that were walked and written.
  private var handled = 0

  init(_ document: ValidJSON, maximumDepth: Int, maximumGrowth: Int, maximumSize: Int) {
    self.document = JSONValue(document)
    count = self.document.utf8Text(.compact).count
    maximumCount = count.addingReportingOverflow(maximumGrowth).overflow ? .max : count + maximumGrowth
    self.maximumGrowth = maximumGrowth
    self.maximumDepth = maximumDepth
    self.maximumSize = maximumSize
  }

  /// The value to which a pointer leads.
  mutating func value(at pointer: JSONPointer) throws(DatabaseError) -> JSONValue {
    try handle(count)
    return try way(along: pointer.tokens[...]).value
  }

  /// Sets a member, or inserts an element before the one at its position; `-` is the position after the last.
  mutating func add(_ value: JSONValue, at pointer: JSONPointer) throws(DatabaseError) {
    guard let last = pointer.tokens.last else { return try replace(pointer, with: value) }
    let path = pointer.tokens.dropLast()
    try check(value, at: pointer)
    try edit(path) { parent throws(DatabaseError) in
      switch parent {
      case .object(var members):
        members[last.string] = value
        parent = .object(members)
      case .array(var elements):
        guard let position = last.string == "-" ? elements.count : Self.position(last) else {
          throw DatabaseError(.conflict, "'\(last.string)' is not a position in an array")
        }
        guard position <= elements.count else {
          throw DatabaseError(.conflict, "the array has \(elements.count) elements, so \(position) is beyond its end")
        }
        elements.insert(value, at: position)
        parent = .array(elements)
      case .null, .bool, .number, .string:
        let kind = ValidJSON(writing: parent).kind.description
        let place = JSONPointer.text(path.map(\.string))
        throw DatabaseError(.conflict, "'\(place)' is \(kind), which has no members or elements")
      }
    }
  }

  /// Removes a member or an element.
  mutating func remove(_ pointer: JSONPointer) throws(DatabaseError) {
    guard let last = pointer.tokens.last else {
      throw DatabaseError(.conflict, "the whole document cannot be removed by a patch")
    }
    _ = try way(along: pointer.tokens[...])
    try edit(pointer.tokens.dropLast()) { parent in
      switch parent {
      case .object(var members):
        members[last.string] = nil
        parent = .object(members)
      case .array(var elements):
        if let position = Self.position(last) { elements.remove(at: position) }
        parent = .array(elements)
      case .null, .bool, .number, .string: break
      }
    }
  }

  /// Replaces an existing value.
  mutating func replace(_ pointer: JSONPointer, with value: JSONValue) throws(DatabaseError) {
    try check(value, at: pointer)
    try edit(pointer.tokens[...]) { $0 = value }
  }

  /// Changes the value at the end of a path, with a loop in place of recursion: a path may have hundreds of levels.
  private mutating func edit(
    _ path: ArraySlice<ByteExactKey>, _ change: (inout JSONValue) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    var (containers, value) = try way(along: path)
    try change(&value)
    for (container, token) in zip(containers, path).reversed() {
      switch container {
      case .object(var members):
        members[token.string] = value
        value = .object(members)
      case .array(var elements):
        if let position = Self.position(token) { elements[position] = value }
        value = .array(elements)
      case .null, .bool, .number, .string: break
      }
    }
    document = value
    count = document.utf8Text(.compact).count
    guard count <= maximumCount else {
      throw DatabaseError(
        .tooLarge, "the result has over \(maximumGrowth) bytes more than there were, the most that a patch may add")
    }
    try handle(count)
  }

  /// The value to which a path leads, and the objects and arrays on the way.
  private func way(
    along path: ArraySlice<ByteExactKey>
  ) throws(DatabaseError) -> (containers: [JSONValue], value: JSONValue) {
    var containers: [JSONValue] = []
    var value = document
    for token in path {
      containers.append(value)
      guard let next = value[token.string] ?? Self.position(token).flatMap({ value[$0] }) else {
        throw DatabaseError(.conflict, "there is nothing at '\(JSONPointer.text(path.map(\.string)))'")
      }
      value = next
    }
    return (containers, value)
  }

  /// Counts what an operation costs.
  private mutating func handle(_ count: Int) throws(DatabaseError) {
    handled += count
    guard handled <= maximumSize else {
      throw DatabaseError(.tooLarge, "the patch handles more than \(maximumSize >> 20) MiB; send it in parts")
    }
  }

  /// Refuses a value that is nested too deeply for its place.
  private func check(_ value: JSONValue, at pointer: JSONPointer) throws(DatabaseError) {
    let depth = max(0, maximumDepth - pointer.tokens.count)
    guard (try? ValidJSON(parsing: value.utf8Text(.compact), maximumDepth: depth)) == nil else { return }
    throw DatabaseError(.invalidBody, "the result is nested deeper than \(maximumDepth) levels")
  }

  /// The position in an array that a token writes: digits without a leading zero.
  private static func position(_ token: ByteExactKey) -> Int? {
    let digits = token.string.utf8
    guard digits.count == 1 || digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int(token.string)
  }
}

extension JSONValue {
  /// Returns a value with this merge patch applied to it (RFC 7396, section 2).
  ///
  /// A loop takes the place of recursion: a patch may have hundreds of levels.
  ///
  /// - Complexity: O(size of both).
  package func merged(into target: JSONValue) -> JSONValue {
    guard case .object(let changes) = self else { return self }
    var open = [ObjectMerge(of: changes, into: target)]
    while true {
      var innermost = open.removeLast()
      if let (name, change) = innermost.changes.next() {
        switch change {
        case .null: innermost.removed.insert(ByteExactKey(name))
        case .object(let changes):
          innermost.name = name
          open.append(innermost)
          innermost = ObjectMerge(of: changes, into: innermost.object[name])
        case .bool, .number, .string, .array: innermost.object[name] = change
        }
        open.append(innermost)
      } else if let outer = open.indices.last {
        open[outer].object[open[outer].name] = innermost.result
      } else {
        return innermost.result
      }
    }
  }
}

/// An object that is being changed by a merge patch.
private struct ObjectMerge {
  var object: JSONObject
  /// The changes to come.
  var changes: AnyIterator<(name: String, value: JSONValue)>
  /// The member that is being changed.
  var name = ""
  /// The members that are removed in the end, all at once.
  var removed: Set<ByteExactKey> = []

  /// - Parameter target: The value that is changed; one that is not an object is replaced.
  init(of changes: JSONObject, into target: JSONValue?) {
    object = target?.object ?? JSONObject()
    self.changes = changes.makeIterator()
  }

  var result: JSONValue {
    guard !removed.isEmpty else { return .object(object) }
    return .object(JSONObject(object.lazy.map { ($0.name, $0.value) }.filter { !removed.contains(ByteExactKey($0.0)) }))
  }
}
