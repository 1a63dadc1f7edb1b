package import JSONServerValues

extension Database {
  /// Gives values that were sent as text, such as those of a form, the types of the members.
  ///
  /// Where all other records have numbers in the member, apart from nulls, a text that is a JSON number becomes a
  /// number, as written; the same goes for booleans. Where they have lists, a text becomes a list of one element. Any
  /// other text stays a string. The record's own value decides instead when the text equals it, and when no other
  /// record has the member, as for a single resource. Without such a value, the value stays as it was sent.
  ///
  /// - Parameters:
  ///   - body: A JSON object, or an array of objects, whose values are strings, or numbers and booleans that were text.
  ///   - name: The resource's name.
  ///   - id: The id of the changed record, if it exists.
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
          Self.append(body, to: &output) { name, _ in
            ValueKinds(of: present.member(name)).textType ?? entries[position].example?.textType(of: name)
          }
        }
      }
    } else {
      guard let collection = entries[position].collection else { return body }
      let example = entries[position].example
      body.withToken { body in
        guard let elements = ArrayReader(body) else {
          return append(typed: body, for: collection, id: id, except: exactNames, example, to: &output)
        }
        JSONText.appendList(elements, "[", "]", to: &output) { element, output in
          let id = element.member(Array(collection.idName.utf8))?.recordID
          append(typed: element, for: collection, id: id, except: exactNames, example, to: &output)
        }
      }
    }
    // A text made of valid values is valid.
    return (try? ValidJSON(parsing: output, maximumDepth: schema.maximumDepth)) ?? body
  }

  /// The foreign key to a record that does not exist, in the type of the other keys, or else of the ids in its
  /// collection.
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
    guard let members = ObjectReader(body) else {
      output += body.bytes
      return
    }
    JSONText.appendList(members, "{", "}", to: &output) { member, output in
      output += member.name.bytes
      output.append(UInt8(ascii: ":"))
      if let type = type(member.name.unescapedContent, member.value) {
        type.append(member.value, to: &output)
      } else {
        output += member.value.bytes
      }
    }
  }

  /// Appends a body whose values get the types of the members.
  private func append(
    typed body: ValueToken, for collection: RecordCollection, id: String?, except exactNames: Set<[UInt8]>,
    _ example: MemberExample?, to output: inout [UInt8]
  ) {
    let own = id.flatMap { collection.row(of: $0, patience) }
    Self.append(body, to: &output) { name, value in
      exactNames.contains(name)
        ? nil : textType(of: name, value, in: collection, except: own) ?? example?.textType(of: name)
    }
  }

  /// The type of a text in a member, from all other records, or else from the record itself; a text that equals the
  /// record's own value gets the type of this value.
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
  /// A string's content; any other value as written.
  var plainText: [UInt8] { kind == .string ? unescapedContent : Array(bytes) }
}

extension ValueKinds {
  /// The type of a value, or of none.
  fileprivate init(of value: ValueToken?) {
    self.init()
    if let value { count(value, 1) }
  }
}
