package import JSONServerValues

/// A document that is being changed at places that pointers name.
///
/// An operation changes the document in place: its cost is that of the values that it reads and writes, and of the
/// elements or members that it moves, whatever the size of the document. All costs together are limited.
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
  /// The bytes that were read, written and moved.
  private var handled = 0

  init(_ document: ValidJSON, maximumDepth: Int, maximumGrowth: Int, maximumSize: Int) {
    self.document = JSONValue(document)
    count = Self.size(of: self.document)
    maximumCount = count.addingReportingOverflow(maximumGrowth).overflow ? .max : count + maximumGrowth
    self.maximumGrowth = maximumGrowth
    self.maximumDepth = maximumDepth
    self.maximumSize = maximumSize
  }

  /// The value to which a pointer leads.
  mutating func value(at pointer: JSONPointer) throws(DatabaseError) -> JSONValue {
    var value = document
    for token in pointer.tokens {
      guard let child = value.child(token) else { throw Self.nothing(at: pointer.tokens[...]) }
      value = child
    }
    try handle(Self.size(of: value))
    return value
  }

  /// Sets a member, or inserts an element before the one at its position; `-` is the position after the last.
  mutating func add(_ value: JSONValue, at pointer: JSONPointer) throws(DatabaseError) {
    guard let last = pointer.tokens.last else { return try replace(pointer, with: value) }
    let size = try measure(value, at: pointer)
    let path = pointer.tokens.dropLast()
    try edit(path) { parent throws(DatabaseError) in
      switch parent {
      case .object(var members):
        parent = .null
        let before = members[last.string]
        members[last.string] = value
        parent = .object(members)
        guard let before else { return (size + Self.overhead(of: last, among: members.count), 0) }
        return (size - Self.size(of: before), 0)
      case .array(var elements):
        guard let position = last.string == "-" ? elements.count : JSONValue.position(last) else {
          throw DatabaseError(.conflict, "'\(last.string)' is not a position in an array")
        }
        guard position <= elements.count else {
          throw DatabaseError(.conflict, "the array has \(elements.count) elements, so \(position) is beyond its end")
        }
        parent = .null
        elements.insert(value, at: position)
        parent = .array(elements)
        return (size + Self.overhead(of: nil, among: elements.count), elements.count - position)
      case .null, .bool, .number, .string:
        let place = JSONPointer.text(path.map(\.string))
        throw DatabaseError(.conflict, "'\(place)' is \(parent.kind.description), which has no members or elements")
      }
    }
  }

  /// Removes a member or an element.
  mutating func remove(_ pointer: JSONPointer) throws(DatabaseError) {
    guard let last = pointer.tokens.last else {
      throw DatabaseError(.conflict, "the whole document cannot be removed by a patch")
    }
    try edit(pointer.tokens.dropLast()) { parent throws(DatabaseError) in
      guard let before = parent.child(last) else { throw Self.nothing(at: pointer.tokens[...]) }
      let size = Self.size(of: before)
      switch parent {
      case .object(var members):
        parent = .null
        let count = members.count
        members[last.string] = nil
        parent = .object(members)
        return (-size - Self.overhead(of: last, among: count), count)
      case .array(var elements):
        parent = .null
        let count = elements.count
        if let position = JSONValue.position(last) { elements.remove(at: position) }
        parent = .array(elements)
        return (-size - Self.overhead(of: nil, among: count), count)
      case .null, .bool, .number, .string: return (0, 0)
      }
    }
  }

  /// Replaces an existing value.
  mutating func replace(_ pointer: JSONPointer, with value: JSONValue) throws(DatabaseError) {
    let size = try measure(value, at: pointer)
    try edit(pointer.tokens[...]) { before in
      defer { before = value }
      return (size - Self.size(of: before), 0)
    }
  }

  /// Changes the value at the end of a path, with a loop in place of recursion: a path may have hundreds of levels.
  ///
  /// - Parameter change: Returns the bytes by which the document grows, and the number of elements or members that moved.
  private mutating func edit(
    _ path: ArraySlice<ByteExactKey>, _ change: (inout JSONValue) throws(DatabaseError) -> (growth: Int, moved: Int)
  ) throws(DatabaseError) {
    // Each container on the way, without the value that the path leads to: only this draft has it, so nothing is copied.
    var open: [JSONValue] = []
    var value = JSONValue.null
    swap(&value, &document)
    for token in path {
      guard let child = value.takeChild(token) else { throw Self.nothing(at: path) }
      open.append(value)
      value = child
    }
    let (growth, moved) = try change(&value)
    for token in path.reversed() {
      var container = open.removeLast()
      container.putChild(value, at: token)
      value = container
    }
    document = value
    count += growth
    guard count <= maximumCount else {
      throw DatabaseError(
        .tooLarge, "the patch adds more than \(maximumGrowth) bytes, the most that a patch may add")
    }
    try handle(abs(growth) + moved * Self.movedBytes)
  }

  /// The bytes of an element or member that moves.
  private static let movedBytes = 16

  private static func nothing(at path: ArraySlice<ByteExactKey>) -> DatabaseError {
    DatabaseError(.conflict, "there is nothing at '\(JSONPointer.text(path.map(\.string)))'")
  }

  /// The bytes of a member's name, and of the comma and the colon.
  ///
  /// - Parameters:
  ///   - name: The name; `nil` for an element.
  ///   - count: The number of members or elements, this one included.
  private static func overhead(of name: ByteExactKey?, among count: Int) -> Int {
    (name.map { size(of: .string($0.string)) + 1 } ?? 0) + (count > 1 ? 1 : 0)
  }

  private static func size(of value: JSONValue) -> Int { value.utf8Text(.compact).count }

  /// Counts what an operation costs.
  private mutating func handle(_ count: Int) throws(DatabaseError) {
    handled += count
    guard handled <= maximumSize else {
      throw DatabaseError(.tooLarge, "the patch handles more than \(maximumSize >> 20) MiB; send it in parts")
    }
  }

  /// The bytes of a new value.
  ///
  /// - Throws: ``DatabaseError`` for a value that is nested too deeply for its place, and beyond the limit of all costs.
  private mutating func measure(_ value: JSONValue, at pointer: JSONPointer) throws(DatabaseError) -> Int {
    let text = value.utf8Text(.compact)
    try handle(text.count)
    guard (try? ValidJSON(parsing: text, maximumDepth: max(0, maximumDepth - pointer.tokens.count))) != nil else {
      throw DatabaseError(.invalidBody, "the result is nested deeper than \(maximumDepth) levels")
    }
    return text.count
  }
}

extension JSONValue {
  /// The member or element that a token of a pointer names.
  fileprivate func child(_ token: ByteExactKey) -> JSONValue? {
    self[token.string] ?? Self.position(token).flatMap { self[$0] }
  }

  /// Removes the member or element that a token names, but not its place.
  fileprivate mutating func takeChild(_ token: ByteExactKey) -> JSONValue? {
    guard let child = child(token) else { return nil }
    putChild(.null, at: token)
    return child
  }

  /// Sets a member or an element that exists.
  fileprivate mutating func putChild(_ value: JSONValue, at token: ByteExactKey) {
    switch self {
    case .object(var members):
      self = .null
      members[token.string] = value
      self = .object(members)
    case .array(var elements):
      self = .null
      if let position = Self.position(token) { elements[position] = value }
      self = .array(elements)
    case .null, .bool, .number, .string: break
    }
  }

  /// The position in an array that a token writes: digits without a leading zero.
  fileprivate static func position(_ token: ByteExactKey) -> Int? {
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
