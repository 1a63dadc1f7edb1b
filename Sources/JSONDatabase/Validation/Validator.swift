package import OrderedJSON

/// Reports what in a file would be refused, or would surprise its owner when it is served.
package struct Validator {
  private let schema: Schema

  /// Creates a validator for the names by which records are identified and related.
  package init(schema: Schema = Schema()) {
    self.schema = schema
  }

  /// Returns the findings about a text, in the text's order; of syntax faults, the first alone.
  ///
  /// - Complexity: O(size of the text).
  package func findings(in text: UTF8Slice) -> [Finding] {
    text.withBytes { bytes in
      var findings = FindingList()
      var scanner = JSONScanner(text, maximumDepth: schema.maximumDepth)
      let start = scanner.skipWhitespace(from: JSONSyntax.endOfByteOrderMark(in: bytes))
      guard start < bytes.count else {
        findings.add(.error, "the file is empty; write {} or {\"posts\": []} into it", at: start)
        return findings.located(in: bytes)
      }
      do throws(JSONError) {
        let document = try scanner.scanDocument()
        document.withToken { check($0, at: document.offset - text.offset, &findings) }
      } catch {
        findings.add(.error, error.message, at: error.offset)
      }
      return findings.located(in: bytes)
    }
  }

  /// Checks the document's value, which starts at an offset of the text.
  private func check(_ document: ValueToken, at start: Int, _ findings: inout FindingList) {
    guard var reader = ObjectReader(document) else {
      findings.add(.error, "the file must hold a JSON object, such as {\"posts\": []}", at: start)
      return
    }
    var collections: [CollectionSurvey] = []
    var names: Set<ByteExactKey> = []
    while let member = reader.next() {
      let name = member.nameText
      let nameOffset = start + member.name.offset(in: document)
      let value = member.value
      let isFirst = names.insert(ByteExactKey(name)).inserted
      if !isFirst {
        findings.add(.error, "'\(name)' is given twice; rename one of the two or join them", at: nameOffset)
      }
      if name == "$schema" { continue }
      checkName(name, at: nameOffset, &findings)
      let valueOffset = start + value.offset(in: document)
      switch value.kind {
      case .array:
        guard let records = ArrayReader(value) else { break }
        collections.append(
          CollectionSurvey(name, records, of: value, at: valueOffset, idName: schema.idName(of: name)))
      case .object: break
      case .null, .bool, .number, .string:
        let message = "'\(name)' is \(value.kind.description); a resource is an array of records or an object"
        findings.add(.error, message, at: valueOffset)
      }
      DuplicateNames.forEach(in: value) { name, offset in
        findings.add(
          .warning, "the member '\(name)' is given twice; JSON readers differ in which counts", at: valueOffset + offset
        )
      }
    }
    for collection in collections { collection.checkRecords(&findings) }
    let foreignKeys = ForeignKeys(collections, schema: schema)
    for collection in collections { foreignKeys.check(collection, &findings) }
  }

  /// The names whose routes lead elsewhere.
  private static let takenNames = ["db", "__admin", "__rules", ".", ".."]

  private func checkName(_ name: String, at offset: Int, _ findings: inout FindingList) {
    if Self.takenNames.contains(name) {
      findings.add(.warning, "the address /\(name) does not lead to the resource '\(name)'; rename it", at: offset)
    }
    if name.isEmpty { findings.add(.error, "a resource needs a name; this key is empty", at: offset) }
    if name.contains("/") {
      findings.add(
        .error, "the key '\(name)' holds a slash, which no address can have; rename it",
        at: offset)
    }
  }
}
