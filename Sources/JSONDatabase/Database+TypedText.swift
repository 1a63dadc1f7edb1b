package import JSONServerValues

extension Database {
  /// Gives the values of a body that could only be sent as text, such as a form's, the types that its members have.
  ///
  /// Where the member holds numbers in all other records of the collection, nulls apart, a text that is a JSON number
  /// becomes one, as it is written; booleans likewise. Where it holds lists, a single text becomes a list of one, and
  /// elements follow elements. Any other text stays one. Where the text is that of the record's own value, or no other
  /// record has the member, the record's own value is the example, as it is in a singular resource; where there is none
  /// either, the value stays as it was sent.
  ///
  /// - Parameters:
  ///   - body: A JSON object, or an array of them that are written in bulk, with strings, or with what was taken for
  ///     numbers and booleans because its text looks like one.
  ///   - name: The resource's name.
  ///   - id: The id of the record that the body is written to, if it exists.
  ///   - exactNames: The names of the members whose values stay as they were sent.
  /// - Returns: The body with typed values.
  /// - Complexity: O(size of the body), after a first call for a collection, which reads all its records.
  package func typed(
    _ body: ValidJSON, for name: String, id: String? = nil, except exactNames: Set<[UInt8]> = []
  ) -> ValidJSON {
    guard let position = try? position(of: name) else { return body }
    var output: [UInt8] = []
    if case .singular(let present) = entries[position].resource {
      body.withToken { body in
        present.withToken { present in
          Self.append(body, to: &output) { name, _ in ValueKinds(of: present.member(name)).textType }
        }
      }
    } else {
      guard let collection = entries[position].collection else { return body }
      body.withToken { body in
        guard let elements = ArrayReader(body) else {
          return append(typed: body, for: collection, id: id, except: exactNames, to: &output)
        }
        output.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
          if index > 0 { output.append(UInt8(ascii: ",")) }
          let id = element.member(Array(collection.idName.utf8))?.recordID
          append(typed: element, for: collection, id: id, except: exactNames, to: &output)
        }
        output.append(UInt8(ascii: "]"))
      }
    }
    // What is put together of valid values is valid.
    return (try? ValidJSON(parsing: output, maximumDepth: schema.maximumDepth)) ?? body
  }

  /// The id of a record that does not exist, as a foreign key to it is written: in the type of the others, else of the
  /// ids in its collection, if there is one.
  func foreignKeyValue(
    _ parent: (resource: String, id: String), _ key: FieldPath, in position: Int
  ) -> ValidJSON {
    var type = entries[position].collection?.kinds(of: Array(key.name.utf8), patience).textType
    if case .list(let element)? = type { type = element.map { .scalar($0) } }
    if type == nil, let parents = collectionPosition(parent.resource).flatMap({ entries[$0].collection }) {
      type = parents.kinds(of: Array(parents.idName.utf8), patience).textType
    }
    let text = ValidJSON(writing: .string(parent.id))
    guard case .scalar? = type, let type else { return text }
    var output: [UInt8] = []
    text.withToken { type.append($0, to: &output) }
    return (try? ValidJSON(parsing: output)) ?? text
  }

  /// Appends an object whose values get types.
  private static func append(_ body: ValueToken, to output: inout [UInt8], type: ([UInt8], ValueToken) -> TextType?) {
    guard var reader = ObjectReader(body) else {
      output += body.bytes
      return
    }
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    while let member = reader.next() {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      output += member.name.bytes
      output.append(UInt8(ascii: ":"))
      if let type = type(member.name.unescapedContent, member.value) {
        type.append(member.value, to: &output)
      } else {
        output += member.value.bytes
      }
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Appends a body whose values get the types of the members.
  private func append(
    typed body: ValueToken, for collection: RecordCollection, id: String?, except exactNames: Set<[UInt8]>,
    to output: inout [UInt8]
  ) {
    let own = id.flatMap { collection.row(of: $0, patience) }
    Self.append(body, to: &output) { name, value in
      exactNames.contains(name) ? nil : textType(of: name, value, in: collection, except: own)
    }
  }

  /// What a text becomes under a member, as all records but one have it, else as that one has it; the text of its own
  /// value becomes that.
  private func textType(
    of name: [UInt8], _ text: ValueToken, in collection: RecordCollection, except own: Row?
  ) -> TextType? {
    var kinds = collection.kinds(of: name, patience)
    guard let own else { return kinds.textType }
    return own.withRecord { record in
      guard let value = record.member(name) else { return kinds.textType }
      if value.plainText == text.plainText { return ValueKinds(of: value).textType }
      kinds.count(value, -1)
      return kinds.textType ?? ValueKinds(of: value).textType
    }
  }
}

extension ValueToken {
  /// A string's content; any other value as it is written.
  fileprivate var plainText: [UInt8] { kind == .string ? unescapedContent : Array(bytes) }
}

extension ValueKinds {
  /// The kinds of one value, or of none.
  fileprivate init(of value: ValueToken?) {
    self.init()
    if let value { count(value, 1) }
  }
}
